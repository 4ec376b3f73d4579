/** What can be planned for an account. */
export const LIFECYCLE_ACTIONS = ['enable', 'disable'] as const
export type LifecycleActionName = (typeof LIFECYCLE_ACTIONS)[number]

export const LIFECYCLE_STATUSES = ['pending', 'running', 'completed', 'cancelled', 'failed'] as const
export type LifecycleStatus = (typeof LIFECYCLE_STATUSES)[number]
