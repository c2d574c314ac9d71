#!/bin/sh
# A C compiler in the place of tlalocc.
exec cc "$@"
