# Refuses compilers that cannot compile the CPU model, by name, before they fail in the middle of it:
# it needs std::bit_cast and concepts of C++20.
set(oldest_GNU 11)
set(oldest_Clang 14)
set(oldest "${oldest_${CMAKE_CXX_COMPILER_ID}}")
if(oldest AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS "${oldest}")
    message(FATAL_ERROR
        "the C++ compiler is ${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}; "
        "the simulator needs g++ ${oldest_GNU} or newer, or clang ${oldest_Clang} or newer. Set CXX to one")
endif()
