# Stands in for CANN 8's build of kernels, over the CPU model of the language: ascendc_library compiles
# the sources and writes aclrtlaunch_<kernel>.h where dependants of the target find it.
include("$ENV{STAND_IN_PROJECT}/cmake/launchers.cmake")

function(ascendc_library target type)
    set(behind "")
    foreach(source IN LISTS ARGN)
        add_launchers("${source}" behind "aclrtlaunch.cpp")
    endforeach()
    add_library(${target} ${type} ${ARGN} ${behind})
    target_compile_features(${target} PRIVATE cxx_std_20)
    target_include_directories(${target} PRIVATE "$ENV{STAND_IN_PROJECT}/simulator/language")
    target_include_directories(${target} PUBLIC
        "${CMAKE_BINARY_DIR}/launchers" "$ENV{STAND_IN_PROJECT}/simulator/include")
endfunction()
