# Stands in for what find_package(ASC) finds in CANN 8.5 and 9: the language ASC, of which the compiler
# is a program beside this file.
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}/language")
set(CMAKE_ASC_COMPILER "${CMAKE_CURRENT_LIST_DIR}/asc_compiler.py" CACHE FILEPATH "")
set(ASC_FOUND TRUE)
