/* A libOpenCL.so.1 that aborts as some drivers do when they are first asked (and, without FAKE_COMPLETE, lacks most
 * functions). */
#include <stdlib.h>

#define ENTRY __attribute__((visibility("default")))

ENTRY int clGetPlatformIDs(unsigned entries, void *platforms, unsigned *count);
int clGetPlatformIDs(unsigned entries, void *platforms, unsigned *count) {
  (void)entries;
  (void)platforms;
  (void)count;
  abort();
}

#ifdef FAKE_COMPLETE
#define FAKE(name)      \
  ENTRY int name(void); \
  int name(void) { return -1; }
FAKE(clGetPlatformInfo)
FAKE(clGetDeviceIDs)
FAKE(clGetDeviceInfo)
FAKE(clCreateContext)
FAKE(clReleaseContext)
FAKE(clCreateCommandQueue)
FAKE(clReleaseCommandQueue)
FAKE(clCreateProgramWithSource)
FAKE(clBuildProgram)
FAKE(clGetProgramBuildInfo)
FAKE(clReleaseProgram)
FAKE(clCreateKernel)
FAKE(clGetKernelInfo)
FAKE(clSetKernelArg)
FAKE(clReleaseKernel)
FAKE(clCreateBuffer)
FAKE(clReleaseMemObject)
FAKE(clEnqueueWriteBuffer)
FAKE(clEnqueueReadBuffer)
FAKE(clEnqueueNDRangeKernel)
FAKE(clEnqueueMarkerWithWaitList)
FAKE(clSetEventCallback)
FAKE(clGetEventInfo)
FAKE(clGetEventProfilingInfo)
FAKE(clRetainEvent)
FAKE(clReleaseEvent)
FAKE(clFlush)
FAKE(clFinish)
#endif
