/** Finds the lifecycle actions that ended longest ago. */
export const finishedActions = `
create index lifecycle_actions_by_end on lifecycle_actions (finished_at);
`
