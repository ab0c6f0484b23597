# The RTL of node and kernel, and the models of the product (included by cmake/WoaVerilator.cmake). A new core is one line
# here (README.md in the folder above).
get_filename_component(woa_project ${CMAKE_CURRENT_LIST_DIR}/../../.. ABSOLUTE)
# Packages come first: Verilator takes files in order.
set(WOA_RTL_SOURCES
    ${woa_project}/runtime/packet/generated/woa_packet_pkg.sv
    ${woa_project}/controllers/fpga/generated/wact_interface_pkg.sv
    ${woa_project}/controllers/fpga/rtl/wact_pkg.sv
    ${woa_project}/kernels/copy/copy_core.sv
    ${woa_project}/kernels/invert/invert_core.sv
    ${woa_project}/kernels/sharpen3x3/sharpen3x3_core.sv
    ${woa_project}/bench/mibench/sha/sha_block/sha_block_core.sv
    ${woa_project}/bench/mibench/jpeg/jpeg_fdct/jpeg_fdct_core.sv
    ${woa_project}/bench/mibench/susan/susan_response/susan_response_core.sv
    ${woa_project}/kernels/join2/join2_core.sv
    ${woa_project}/controllers/fpga/rtl/wact_fifo.sv
    ${woa_project}/controllers/fpga/rtl/wact_slice.sv
    ${woa_project}/controllers/fpga/rtl/wact_narrow.sv
    ${woa_project}/controllers/fpga/rtl/wact_widen.sv
    ${woa_project}/controllers/fpga/rtl/wact_registers.sv
    ${woa_project}/controllers/fpga/rtl/wact_header.sv
    ${woa_project}/controllers/fpga/rtl/wact_lookup.sv
    ${woa_project}/controllers/fpga/rtl/wact_shape.sv
    ${woa_project}/controllers/fpga/rtl/wact_fit.sv
    ${woa_project}/controllers/fpga/rtl/wact_match.sv
    ${woa_project}/controllers/fpga/rtl/wact_plan.sv
    ${woa_project}/controllers/fpga/rtl/wact_socket.sv
    ${woa_project}/controllers/fpga/rtl/wact_cores.sv
    ${woa_project}/controllers/fpga/rtl/wact_body.sv
    ${woa_project}/controllers/fpga/rtl/wact_landing.sv
    ${woa_project}/controllers/fpga/rtl/wact_router.sv
    ${woa_project}/controllers/fpga/rtl/wact_completion.sv
    ${woa_project}/controllers/fpga/rtl/wact_node.sv)
set(WOA_RTL_KERNEL_SOURCES ${WOA_RTL_SOURCES})
foreach(woa_part control fetch dispatch collect directory write kernel)
  list(APPEND WOA_RTL_KERNEL_SOURCES ${woa_project}/controllers/fpga/rtl/wact_${woa_part}.sv)
endforeach()

# WOA_RTL_<model>: what woa_verilate() takes. No assertions: every value of an input is legal. `fast` for x: the node does
# not depend on the contents of its memories at power-on.
set(WOA_RTL_MODELS woa_wact_rtl woa_wact_kernel_64 woa_wact_kernel_512)
set(woa_quick -O3 --x-assign fast --x-initial fast --noassert)
set(WOA_RTL_woa_wact_rtl SOURCES ${WOA_RTL_SOURCES} TOP_MODULE wact_node PREFIX Vwact_node VERILATOR_ARGS ${woa_quick}
                         OPT_FAST -O3 OPT_GLOBAL -O2)
# The kernel around the node, with ports of these widths to its memory. With the first three cores: each core that clocks
# makes every test slower, and the others have theirs on the node.
foreach(woa_width 64 512)
  set(WOA_RTL_woa_wact_kernel_${woa_width} SOURCES ${WOA_RTL_KERNEL_SOURCES} TOP_MODULE wact_kernel PREFIX Vwact_kernel_${woa_width}
      VERILATOR_ARGS ${woa_quick} -GWIDTH=${woa_width} -GCORES=7 OPT_FAST -O3 OPT_GLOBAL -O2)
endforeach()
