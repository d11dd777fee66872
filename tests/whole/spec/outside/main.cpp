/* main.cpp - works, waits if asked to, and works once more: main [MILLISECONDS]. */
#include "work.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

int main(int argc, char **argv)
{
    bool right = work(3);
    std::this_thread::sleep_for(std::chrono::milliseconds(argc > 1 ? std::atoi(argv[1]) : 0));
    right = work(3) && right;
    std::puts(right ? "right" : "wrong");
    return !right;
}
