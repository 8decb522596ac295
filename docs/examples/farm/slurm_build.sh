#!/usr/bin/env bash
# Compiles the shards of a module as an array of Slurm jobs, and merges them in a job that waits for
# all. Call it on the login node, in a folder that the nodes share:
#
#   SHARDS=16 TARGETS=cpu,sm_90,vulkan slurm_build.sh app.sxt kernels.py …
#
# Options of sbatch come from its own variables (SBATCH_PARTITION, SBATCH_ACCOUNT); SEXTANT_CACHE_REMOTE
# goes to the jobs with the rest of the environment. Prints the number of the job that merges.
set -euo pipefail
output=$1
shift
shards=${SHARDS:-8}
sextant=${SEXTANT:-sextant}
parts=$output.shards
mkdir -p "$parts"
rm -f "$parts"/*.sxt

# Words are quoted for the shell of the job.
compile=$(printf '%q ' "$sextant" compile "$@" --targets="$TARGETS" -j1)
array=$(sbatch --parsable --job-name=sextant --array=1-"$shards" --cpus-per-task=1 --output="$parts/%a.log" \
  --wrap "$compile --shard=\$SLURM_ARRAY_TASK_ID/$shards -o $(printf %q "$parts")/\$SLURM_ARRAY_TASK_ID.sxt")
merge=$(printf '%q ' "$sextant" merge --targets="$TARGETS" -o "$output")
sbatch --parsable --job-name=sextant-merge --dependency=afterok:"$array" --kill-on-invalid-dep=yes \
  --output="$parts/merge.log" --wrap "$merge $(printf %q "$parts")/*.sxt"
