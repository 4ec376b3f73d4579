/** When background work failed last, so that administrators see it. */
export const failedJobs = `
create table failed_jobs (
  name text primary key,
  failed_at bigint not null
);
`
