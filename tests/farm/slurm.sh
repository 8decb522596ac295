#!/usr/bin/env bash
# docs/examples/farm/slurm_build.sh on a Slurm of one node, which this starts in FOLDER and stops: a
# module of shards is the module of one call. slurm.sh SEXTANT EXAMPLES FOLDER
set -euo pipefail
sextant=$(realpath "$1")
examples=$(realpath "$2")
for program in munged slurmctld slurmd sbatch; do
  PATH=$PATH:/usr/sbin command -v $program >/dev/null || {
    echo "skipped: $program is not installed (Debian: slurmctld slurmd slurm-client munge)"
    exit 77
  }
done
[ "$(id -u)" = 0 ] || {
  echo "skipped: slurmd needs root"
  exit 77
}
rm -rf "$3"
mkdir -p "$3"/{state,spool,run}
cd "$3"
here=$PWD
export PATH=$PATH:/usr/sbin
pids=()
stop() {
  [ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2>/dev/null || true
  wait 2>/dev/null || true
}
trap stop EXIT

# Slurm's processes know each other by a key of their own, not by that of a Slurm that is installed.
head -c 1024 /dev/urandom >munge.key
chmod 600 munge.key
chmod 755 run
munged --foreground --force --key-file "$here/munge.key" --socket "$here/run/munge" --pid-file "$here/run/munged.pid" \
  --log-file "$here/munge.log" --seed-file "$here/munge.seed" 2>munge.err &
pids+=($!)
host=$(hostname -s)
read -r port nodePort < <(python3 -c 'import socket
ports = [socket.socket() for _ in range(2)]
for one in ports: one.bind(("127.0.0.1", 0))
print(*(one.getsockname()[1] for one in ports))')
cat >slurm.conf <<END
ClusterName=farm
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmctldPort=$port
AuthType=auth/munge
AuthInfo=socket=$here/run/munge
CredType=cred/munge
StateSaveLocation=$here/state
SlurmdSpoolDir=$here/spool
SlurmctldPidFile=$here/run/slurmctld.pid
SlurmdPidFile=$here/run/slurmd.pid
SlurmctldLogFile=$here/slurmctld.log
SlurmdLogFile=$here/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 Port=$nodePort CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
export SLURM_CONF=$here/slurm.conf
sleep 1
slurmctld -D 2>ctld.err &
pids+=($!)
slurmd -D -N "$host" 2>d.err &
pids+=($!)
for _ in $(seq 60); do
  sinfo -h -o %t 2>/dev/null | grep -qE '^(idle|mix)' && break
  sleep 0.5
done
sinfo

cp "$examples/saxpy.py" .
targets=x86-64-v3/wave8,compute_80,compute_90,gfx1100/wave32,vulkan/wave32,metal:3.0
"$sextant" compile saxpy.py -t $targets -o whole.sxt
export SEXTANT_CACHE_DIR=$here/cache
merge=$(SEXTANT=$sextant SHARDS=4 TARGETS=$targets "$examples/farm/slurm_build.sh" app.sxt saxpy.py)
for _ in $(seq 120); do
  [ -e app.sxt ] && break
  sleep 0.5
done
squeue
scontrol show job "$merge" | grep -E 'JobState|ExitCode'
cmp whole.sxt app.sxt || {
  cat app.sxt.shards/*.log slurmctld.log slurmd.log
  exit 1
}
echo "4 shards by Slurm $(sinfo --version): the module of one call, $(stat -c %s app.sxt) bytes"
