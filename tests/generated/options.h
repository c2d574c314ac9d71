/* What the command lines of the two programs share. */
#ifndef GEN_OPTIONS_H
#define GEN_OPTIONS_H

/* The argument after argv[*i], to which *i moves; without one, exit status 2. */
const char *gen_option_value(int argc, char **argv, int *i);
/* The folder of that name, made if need be, or without a name a new one; where there can be none, exit status 2. */
const char *gen_work_folder(const char *name);

#endif
