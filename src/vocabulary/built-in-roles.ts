/** Identifiers are fixed, so that every replica and every backup means the same role. */
export const ADMIN_ROLE = '00000000-0000-4000-8000-000000000001'
export const USER_ROLE = '00000000-0000-4000-8000-000000000002'
