#!/bin/sh
# run.sh TLALOCC INCLUDE FOLDER COUNT: fetches the source of Debian's package erfa into FOLDER and differentiates its
# functions. Nothing of it is kept in the project. Status 77, which means skipped, where it cannot be fetched.
set -e
here=$(cd "$(dirname "$0")" && pwd)
tlalocc=$1 include=$2 folder=$3 count=$4
mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
cd "$folder"
if [ -z "$(ls -d erfa-*/src 2>/dev/null)" ]; then
  # From wherever this system has its packages.
  archive=$(apt-get indextargets --format '$(REPO_URI) $(CODENAME)' 2>/dev/null | awk '$2 == "bookworm" { print $1; exit }')
  [ -n "$archive" ] || { echo "skipped: no archive of Debian 12 is set up"; exit 77; }
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $archive bookworm main" >sources.list
  apt="apt-get -q -o Dir::Etc::sourcelist=$folder/sources.list -o Dir::Etc::sourceparts=- -o Dir::State::lists=$folder/lists
    -o Dir::Cache=$folder/cache -o APT::Sandbox::User=root"
  if ! $apt update >fetch.log 2>&1 || ! $apt source --download-only erfa >>fetch.log 2>&1 || ! tar xzf erfa_*.orig.tar.gz; then
    echo "skipped: the source of erfa cannot be fetched"
    exit 77
  fi
fi
exec python3 "$here/erfa.py" "$tlalocc" "$include" "$(ls -d "$folder"/erfa-*/src)" "$folder/units" "$count"
