# libmoe_kernels.so on a host with CANN, for the route that launches the project's own kernels beside
# the vendor's. Two ways of CANN compile kernels:
#   ascendc  8.x: ascendc_library writes aclrtlaunch_<kernel>.h and the function behind it
#   asc      8.5 and 9: the language ASC, in which a launch is written kernel<<<blocks, 0, stream>>>
set(SUITE_NPU_COMPILER "auto" CACHE STRING "ascendc, asc, or auto: asc where this CANN has it")
set(SOC_VERSION "Ascend910B1" CACHE STRING "The SoC that the kernels are compiled for")
set(SUITE_NPU_ARCH "dav-2201" CACHE STRING "The architecture, as ASC names it: dav-2201 is 910B and 910_93")
set(RUN_MODE "npu" CACHE STRING "npu, as ascendc.cmake names it")
set(ASCEND_CANN_PACKAGE_PATH "$ENV{ASCEND_HOME_PATH}" CACHE PATH "The CANN toolkit")

find_path(kernel_cmake
    NAMES ascendc.cmake ASCConfig.cmake
    PATHS "${ASCEND_CANN_PACKAGE_PATH}"
    PATH_SUFFIXES compiler/tikcpp/ascendc_kernel_cmake tools/tikcpp/ascendc_kernel_cmake
    NO_DEFAULT_PATH)
if(NOT kernel_cmake)
    message(FATAL_ERROR
        "ASCEND_CANN_PACKAGE_PATH is \"${ASCEND_CANN_PACKAGE_PATH}\": it has no tikcpp/ascendc_kernel_cmake. "
        "Source CANN's set_env.sh, or build the simulator: -DSUITE_TARGET=simulator")
endif()
if(SUITE_NPU_COMPILER STREQUAL "auto")
    set(way "ascendc")
    if(EXISTS "${kernel_cmake}/ASCConfig.cmake")
        set(way "asc")
    endif()
elseif(SUITE_NPU_COMPILER MATCHES "^(ascendc|asc)$")
    set(way "${SUITE_NPU_COMPILER}")
else()
    message(FATAL_ERROR "SUITE_NPU_COMPILER is ${SUITE_NPU_COMPILER}; it must be ascendc, asc or auto")
endif()

# How exact a card's functions are is asked beside whatever is judged there.
get_filename_component(probe "${CMAKE_CURRENT_SOURCE_DIR}/probes/function_probe" ABSOLUTE)
list(APPEND operator_folders "${probe}")
list(REMOVE_DUPLICATES operator_folders)
set(kernel_files "")
set(host_files "")
foreach(folder IN LISTS operator_folders)
    get_filename_component(operator "${folder}" NAME)
    list(APPEND kernel_files "${folder}/${operator}_kernel.cpp")
    list(APPEND host_files "${folder}/${operator}_tiling.cpp" "${folder}/aclnn_${operator}.cpp")
endforeach()

if(way STREQUAL "asc")
    list(APPEND CMAKE_PREFIX_PATH "${kernel_cmake}")
    find_package(ASC REQUIRED)
    enable_language(ASC)
    include("${CMAKE_CURRENT_SOURCE_DIR}/cmake/launchers.cmake")
    set(launchers "")
    foreach(source IN LISTS kernel_files)
        add_launchers("${source}" launchers "aclrtlaunch.asc")
    endforeach()
    add_library(moe_device_code STATIC ${launchers})
    target_include_directories(moe_device_code PUBLIC "${CMAKE_BINARY_DIR}/launchers")
    target_include_directories(moe_device_code PRIVATE "${ASCEND_CANN_PACKAGE_PATH}/include")
    target_compile_options(moe_device_code PRIVATE
        $<$<COMPILE_LANGUAGE:ASC>:--npu-arch=${SUITE_NPU_ARCH}>)
else()
    if(NOT EXISTS "${kernel_cmake}/ascendc.cmake")
        message(FATAL_ERROR "SUITE_NPU_COMPILER is ascendc, but ${kernel_cmake} has no ascendc.cmake")
    endif()
    include("${kernel_cmake}/ascendc.cmake")
    ascendc_library(moe_device_code STATIC ${kernel_files})
endif()

file(GLOB plumbing_sources CONFIGURE_DEPENDS
    "${CMAKE_CURRENT_SOURCE_DIR}/opapi/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/entry/*.cpp")
add_library(moe_kernels SHARED ${plumbing_sources} ${host_files})
# CANN's own headers come first; aclnnop/ is in them for the operators that this CANN has.
target_include_directories(moe_kernels PRIVATE
    "${CMAKE_CURRENT_SOURCE_DIR}/opapi"
    "${CMAKE_CURRENT_SOURCE_DIR}/entry"
    "${ASCEND_CANN_PACKAGE_PATH}/include"
    "${CMAKE_CURRENT_SOURCE_DIR}/simulator/include")
target_link_directories(moe_kernels PRIVATE "${ASCEND_CANN_PACKAGE_PATH}/lib64")
target_link_libraries(moe_kernels PRIVATE moe_device_code ascendcl nnopbase)
