# libascendcl.so, libopapi.so and libnnopbase.so of the simulated device.
include("${CMAKE_CURRENT_SOURCE_DIR}/cmake/compiler.cmake")
set(simulator "${CMAKE_CURRENT_SOURCE_DIR}/simulator")
set(SUITE_CHECKS "all" CACHE STRING "What the simulated device watches: off or all")
set_property(CACHE SUITE_CHECKS PROPERTY STRINGS off all)
set(levels off all)
list(FIND levels "${SUITE_CHECKS}" level)
if(level EQUAL -1)
    message(FATAL_ERROR "SUITE_CHECKS is ${SUITE_CHECKS}; it must be off or all")
endif()
add_link_options(LINKER:--no-undefined LINKER:--build-id=sha1)
# The libraries do not depend on where the checkout lies, and diagnostics show short paths.
# Counters of coverage are filed under the real ones.
if(NOT SUITE_COVERAGE)
    add_compile_options("-ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}=device_kernels")
endif()

# Exports what cmake/<target>.map says, of what the sources make visible.
function(export_by target)
    set(exports "${CMAKE_CURRENT_SOURCE_DIR}/cmake/${target}.map")
    target_link_options(${target} PRIVATE "LINKER:--version-script=${exports}")
    set_target_properties(${target} PROPERTIES LINK_DEPENDS "${exports}")
endfunction()

# Tensors, arrays of integers, executors and two-phase plumbing: in libopapi.so, and the same for all operators.
file(GLOB plumbing_sources CONFIGURE_DEPENDS
    "${simulator}/runtime/tensor*.cpp" "${simulator}/runtime/int_array.cpp"
    "${simulator}/runtime/executor.cpp"
    "${CMAKE_CURRENT_SOURCE_DIR}/opapi/*.cpp" "${CMAKE_CURRENT_SOURCE_DIR}/entry/*.cpp")
set(plumbing_include "${CMAKE_CURRENT_SOURCE_DIR}/opapi" "${CMAKE_CURRENT_SOURCE_DIR}/entry")
set(plumbing_file "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libplumbing.a")

if(SUITE_ASCENDCL)
    # A hard link beside libopapi.so, which finds it by $ORIGIN.
    file(MAKE_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
    set(ascendcl_file "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}/libascendcl.so")
    file(CREATE_LINK "${SUITE_ASCENDCL}" "${ascendcl_file}" COPY_ON_ERROR)
    add_library(ascendcl SHARED IMPORTED)
    set_target_properties(ascendcl PROPERTIES
        IMPORTED_LOCATION "${ascendcl_file}"
        IMPORTED_SONAME libascendcl.so)
    target_include_directories(ascendcl INTERFACE "${simulator}/include")
    get_filename_component(built "${SUITE_ASCENDCL}" DIRECTORY)
    set(plumbing_file "${built}/libplumbing.a")
else()
    file(GLOB runtime_sources CONFIGURE_DEPENDS "${simulator}/runtime/*.cpp")
    list(REMOVE_ITEM runtime_sources ${plumbing_sources})
    file(GLOB_RECURSE engine_sources CONFIGURE_DEPENDS "${simulator}/language/engine/*.cpp")
    set(precompiled <algorithm> <atomic> <map> <memory> <mutex> <string> <vector>)
    # An archive, too: with it, test kernels make a machine without a runtime.
    add_library(engine STATIC ${engine_sources})
    add_library(ascendcl SHARED ${runtime_sources} $<TARGET_OBJECTS:engine>)
    target_include_directories(ascendcl PUBLIC "${simulator}/include")
    foreach(part IN ITEMS engine ascendcl)
        target_include_directories(${part} PRIVATE "${simulator}/language")
        target_compile_definitions(${part} PRIVATE "ASCENDSIM_CHECKS=${level}")
        # Calls inside the library, and what a thread has for itself, without a look-up: nobody replaces
        # its functions, and it is loaded once. The checks of one access are some twenty such calls.
        target_compile_options(${part} PRIVATE
            -fno-semantic-interposition -ftls-model=initial-exec)
    endforeach()
    # Kernels are linked against the engine's C++ functions: those are exported with the C
    # interface, and nothing else is (cmake/ascendcl.map).
    set_target_properties(engine PROPERTIES CXX_VISIBILITY_PRESET default)
    # Half of what these small sources cost is the standard library's headers.
    target_precompile_headers(engine PRIVATE ${precompiled})
    target_precompile_headers(ascendcl REUSE_FROM engine)
    set_target_properties(engine PROPERTIES
        ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")
    target_link_options(ascendcl PRIVATE LINKER:-Bsymbolic-functions)
    export_by(ascendcl)

    add_library(plumbing STATIC ${plumbing_sources})
    target_include_directories(plumbing PRIVATE ${plumbing_include})
    target_precompile_headers(plumbing PRIVATE ${precompiled})
    target_link_libraries(plumbing PRIVATE ascendcl)
    target_compile_options(plumbing PRIVATE -O1)
    set_target_properties(plumbing PROPERTIES
        ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_LIBRARY_OUTPUT_DIRECTORY}")

    # Several of these small sources at once: what they include is then read and compiled once.
    set_target_properties(engine ascendcl plumbing PROPERTIES
        UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 6)
endif()

# The language's header, compiled: what g++ takes for the first thing that a kernel includes, if its
# flags are the same. Of other compilers none is made.
option(SUITE_PRECOMPILE "Compile the language's header, and no operator" OFF)
set(SUITE_PRECOMPILED "" CACHE PATH "The folder of that compiled header; empty: none is used")
function(compile_as_kernel target)
    # The language is private to the kernel: host code that needs it would not build on CANN.
    target_include_directories(${target} PRIVATE ${SUITE_PRECOMPILED} "${simulator}/language")
    target_compile_definitions(${target} PRIVATE "ASCENDSIM_CHECKS=${level}")
    # What of -O3 the model's loops need. The rest would take as long again to compile a kernel, whose own
    # code is scalar: it runs as fast without.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        target_compile_options(${target} PRIVATE -O1 -ftree-loop-vectorize
            -fvect-cost-model=dynamic -finline-functions -finline-small-functions)
    endif()
endfunction()
if(SUITE_PRECOMPILE)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        set(header "${CMAKE_BINARY_DIR}/language.h")
        file(WRITE "${header}" "#include \"kernel_operator.h\"\n")
        set_source_files_properties("${header}" PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-xc++-header")
        add_library(language OBJECT "${header}")
        compile_as_kernel(language)
    endif()
    return()
endif()

# An operator's archive is kept by its content: an edit of one compiles that operator, and links all.
set(SUITE_ARCHIVES "" CACHE STRING "Archives of operators that are linked as they are")
if(NOT operators AND NOT SUITE_ARCHIVES)
    return()
endif()

include("${CMAKE_CURRENT_SOURCE_DIR}/cmake/launchers.cmake")
if(SUITE_COVERAGE)
    # Counters in the operators alone. -O1: at -O0 the model's inlined loops take minutes, and counters
    # are inserted before anything is optimised away. What is inlined before would have some at each call.
    set(counted --coverage -fprofile-update=atomic -O1 -fno-early-inlining)
endif()

# What only an exception takes is no branch of the source: there is none where it has none.
function(count_lines file)
    file(STRINGS "${file}" exceptional REGEX "(^|[^a-zA-Z_])(try|catch|throw)[^a-zA-Z_]")
    set(options ${counted})
    if(exceptional STREQUAL "")
        list(APPEND options -fno-exceptions)
    endif()
    set_source_files_properties("${file}" PROPERTIES COMPILE_OPTIONS "${options}")
endfunction()

# A source's object file, too: an edit of a tiling compiles that, and no kernel.
set(SUITE_OBJECTS "" CACHE STRING "Object files that are linked as they are: <source>.o, whose source is not compiled")

# add_object(target source files): compiles `source`, if no object of it is there, and appends the
# object to the list `files`.
function(add_object target source files)
    get_filename_component(name "${source}" NAME)
    foreach(object IN LISTS SUITE_OBJECTS)
        get_filename_component(there "${object}" NAME)
        if(there STREQUAL "${name}.o")
            set(${files} "${${files}}" "${object}" PARENT_SCOPE)
            return()
        endif()
    endforeach()
    add_library(${target} OBJECT "${source}")
    set(${files} "${${files}}" "$<TARGET_OBJECTS:${target}>" PARENT_SCOPE)
endfunction()

set(archives "")
foreach(folder IN LISTS operator_folders)
    get_filename_component(operator "${folder}" NAME)
    get_filename_component(parent "${folder}" DIRECTORY)
    set(kernel_file "${folder}/${operator}_kernel.cpp")
    set(host_files "${folder}/${operator}_tiling.cpp" "${folder}/aclnn_${operator}.cpp")
    set(launchers "")
    add_launchers("${kernel_file}" launchers "aclrtlaunch.cpp")
    set(objects "")
    add_object(tiling_${operator} "${folder}/${operator}_tiling.cpp" objects)
    add_object(entry_${operator} "${folder}/aclnn_${operator}.cpp" objects)
    add_object(kernel_${operator} "${kernel_file}" objects)
    if(TARGET kernel_${operator})
        compile_as_kernel(kernel_${operator})
    endif()
    # In one order, whichever are compiled: what is built does not depend on what was there.
    add_library(operator_${operator} STATIC ${launchers} ${objects})
    foreach(part IN ITEMS tiling entry operator)
        if(TARGET ${part}_${operator})
            target_link_libraries(${part}_${operator} PRIVATE ascendcl)
            target_include_directories(${part}_${operator} PRIVATE
                ${plumbing_include} "${CMAKE_BINARY_DIR}/launchers")
            # Host code runs once a call: what -O3 takes to compile it is more than it ever saves. An
            # entry is a table, and as fast as it is written.
            target_compile_options(${part}_${operator} PRIVATE
                $<IF:$<STREQUAL:${part},entry>,-O0,-O1>)
        endif()
    endforeach()
    set_target_properties(operator_${operator} PROPERTIES
        ARCHIVE_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/operators" OUTPUT_NAME "${operator}")
    list(APPEND archives "${CMAKE_BINARY_DIR}/operators/lib${operator}.a")
    if(SUITE_COVERAGE)
        foreach(file IN ITEMS "${kernel_file}" ${host_files})
            count_lines("${file}")
        endforeach()
    elseif(TARGET kernel_${operator})
        # A later map wins: a kernel's source is named from the operators' folder on, wherever that lies.
        target_compile_options(kernel_${operator} PRIVATE "-ffile-prefix-map=${parent}=kernels")
    endif()
endforeach()

file(WRITE "${CMAKE_BINARY_DIR}/opapi.cpp" "")
add_library(opapi SHARED "${CMAKE_BINARY_DIR}/opapi.cpp")
list(TRANSFORM operators PREPEND "operator_" OUTPUT_VARIABLE targets)
if(TARGET plumbing)
    list(APPEND targets plumbing)
endif()
if(targets)
    add_dependencies(opapi ${targets})
endif()
# Whole archives: programs call what no operator does. In one order, whichever were there before.
set(whole ${archives} ${SUITE_ARCHIVES})
list(SORT whole COMPARE FILE_BASENAME)
list(APPEND whole "${plumbing_file}")
target_link_libraries(opapi PRIVATE
    -Wl,--whole-archive ${whole} -Wl,--no-whole-archive ascendcl)
set_property(TARGET opapi APPEND PROPERTY LINK_DEPENDS ${whole})
if(SUITE_COVERAGE)
    target_sources(opapi PRIVATE "${simulator}/coverage/write_counters.cpp")
    target_link_options(opapi PRIVATE --coverage)
endif()
# No C++ name: inline functions of the standard library would be shared with the host's program.
export_by(opapi)
set_target_properties(opapi PROPERTIES BUILD_RPATH "$ORIGIN" BUILD_RPATH_USE_ORIGIN ON)
# CANN's documents link a third library, which has the tensors there: here they are in libopapi.so.
add_custom_command(TARGET opapi POST_BUILD COMMAND ${CMAKE_COMMAND} -E create_symlink
    $<TARGET_FILE_NAME:opapi> "$<TARGET_FILE_DIR:opapi>/libnnopbase.so")
