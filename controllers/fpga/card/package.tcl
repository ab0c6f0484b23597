# Packages the RTL of the kernel `woa_wact` as a Vitis object. Not tried: it needs Vivado (README.md).
#
#   vivado -mode batch -source controllers/fpga/card/package.tcl -tclargs kernel.xml woa_wact.xo
if {[llength $argv] != 2} {
  error "expected two arguments: the kernel.xml of tools/fpga-xclbin, and the .xo to write; found [llength $argv]"
}
lassign $argv description object
set root [file normalize [file join [file dirname [info script]] .. .. ..]]
set work [file join [pwd] woa_wact_package]

set sources {}
foreach pattern {
  runtime/packet/generated/woa_packet_pkg.sv
  controllers/fpga/generated/wact_interface_pkg.sv
  controllers/fpga/rtl/*.sv
  kernels/*/*_core.sv
  bench/mibench/*/*/*_core.sv
} {
  lappend sources {*}[glob -nocomplain [file join $root $pattern]]
}

create_project -force woa_wact [file join $work project]
add_files -norecurse $sources
set_property top wact_kernel [current_fileset]
update_compile_order -fileset sources_1

# Names and version are those of kernel.xml.
ipx::package_project -root_dir [file join $work ip] -vendor woa -library kernel -taxonomy /KernelIP -import_files -force
set core [ipx::current_core]
set_property name woa_wact $core
set_property version 1.0 $core
# The module's parameters keep their defaults: the link has no place to set them.
foreach parameter [ipx::get_user_parameters -of_objects $core] {
  ipx::remove_user_parameter [get_property NAME $parameter] $core
}
foreach interface {s_axi_control m_axi_gmem} {
  ipx::associate_bus_interfaces -busif $interface -clock ap_clk $core
}
if {[llength [ipx::get_bus_interfaces interrupt -of_objects $core]] == 0} {
  ipx::infer_bus_interface interrupt xilinx.com:signal:interrupt_rtl:1.0 $core
}
set_property sdx_kernel true $core
set_property sdx_kernel_type rtl $core
set_property supported_families {} $core
set_property auto_family_support_level level_2 $core
ipx::create_xgui_files $core
ipx::update_checksums $core
ipx::check_integrity $core
ipx::save_core $core
close_project

package_xo -force -kernel_name woa_wact -kernel_xml $description -ip_directory [file join $work ip] -xo_path $object
