# libmoe_kernels.so on a host with CANN 8.x, for the route that launches the project's own kernels
# beside the vendor's: CANN's ascendc_library compiles the kernels and writes aclrtlaunch_<kernel>.h.
set(SOC_VERSION "Ascend910B1" CACHE STRING "The SoC that the kernels are compiled for")
set(RUN_MODE "npu" CACHE STRING "npu, as ascendc.cmake names it")
set(ASCEND_CANN_PACKAGE_PATH "$ENV{ASCEND_HOME_PATH}" CACHE PATH "The CANN toolkit")

find_path(ascendc_cmake ascendc.cmake
    PATHS "${ASCEND_CANN_PACKAGE_PATH}"
    PATH_SUFFIXES compiler/tikcpp/ascendc_kernel_cmake tools/tikcpp/ascendc_kernel_cmake
    NO_DEFAULT_PATH)
if(NOT ascendc_cmake)
    message(FATAL_ERROR
        "ASCEND_CANN_PACKAGE_PATH is \"${ASCEND_CANN_PACKAGE_PATH}\": it has no tikcpp/ascendc_kernel_cmake. "
        "Source CANN's set_env.sh, or build the simulator: -DSUITE_TARGET=simulator")
endif()
include("${ascendc_cmake}/ascendc.cmake")

set(kernel_files "")
set(host_files "")
foreach(folder IN LISTS operator_folders)
    get_filename_component(operator "${folder}" NAME)
    list(APPEND kernel_files "${folder}/${operator}_kernel.cpp")
    list(APPEND host_files "${folder}/${operator}_tiling.cpp" "${folder}/aclnn_${operator}.cpp")
endforeach()
ascendc_library(moe_device_code STATIC ${kernel_files})

file(GLOB opapi_sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/opapi/*.cpp")
add_library(moe_kernels SHARED ${opapi_sources} ${host_files})
# CANN's own headers come first; aclnnop/ is in them for the operators that this CANN has.
target_include_directories(moe_kernels PRIVATE
    "${CMAKE_CURRENT_SOURCE_DIR}/opapi"
    "${ASCEND_CANN_PACKAGE_PATH}/include"
    "${CMAKE_CURRENT_SOURCE_DIR}/simulator/include")
target_link_directories(moe_kernels PRIVATE "${ASCEND_CANN_PACKAGE_PATH}/lib64")
target_link_libraries(moe_kernels PRIVATE moe_device_code ascendcl nnopbase)
