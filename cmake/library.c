/* libtlaloc is made of its parts; this file is there so that the library has a source. */
typedef int tl__library;
