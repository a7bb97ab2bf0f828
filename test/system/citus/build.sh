#!/usr/bin/env bash
# build.sh SOURCE: builds Citus 13.2.2 (SOURCE: a checkout or unpacked archive of tag v13.2.2 of citusdata/citus) against Debian's
# PostgreSQL 15 and installs it there; it does nothing to a cluster that does not preload it. About three minutes, as root.
# Server and postgresql-server-dev-15 must be of one minor version; installing the latter may upgrade the former.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:?the folder with the sources of Citus}"
DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
  postgresql-15 postgresql-server-dev-15 libcurl4-openssl-dev liblz4-dev libzstd-dev libkrb5-dev libssl-dev \
  libxml2-dev libxslt1-dev libpam0g-dev libselinux1-dev libreadline-dev zlib1g-dev libicu-dev flex bison gcc make patch
patch -p1 --forward < "$here/citus-13.2.2-pg15.20.patch" || true
./configure PG_CONFIG=/usr/lib/postgresql/15/bin/pg_config --without-libcurl
make -j2 with_llvm=no COPT='-Wno-error'
make install with_llvm=no
