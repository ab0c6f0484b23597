kernel void broken(global const uchar *in) { this is not OpenCL C; }
