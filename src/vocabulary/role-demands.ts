/** What a role demands of the sign-in of its holders, the weakest first. `passkey` is one that verified its user. */
export const ROLE_DEMANDS = ['none', 'second_step', 'passkey'] as const
export type RoleDemand = (typeof ROLE_DEMANDS)[number]

/** How much a demand asks for. A sign-in has a number on the same scale. */
export const levelOf = (demand: RoleDemand): number => ROLE_DEMANDS.indexOf(demand)

export const isMore = (one: RoleDemand, other: RoleDemand): boolean => levelOf(one) > levelOf(other)
