import type { Config } from '../../platform/config/config.ts'

/**
 * Where a trial of a sign-in ends: a page of the dashboard, for each client its own. It counts as registered, but only people
 * who may see the client's settings get a code for it (issue-code.ts).
 */
export const trialUri = ({ dashboardOrigin }: Pick<Config, 'dashboardOrigin'>, clientId: string): string =>
  `${dashboardOrigin}/admin/applications/${encodeURIComponent(clientId)}/trial`
