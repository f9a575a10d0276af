#include "testserver/play.h"

int main(int argc, char **argv)
{
    return play_main(argc, argv);
}
