import type { TestApp } from '../../support/app.ts'

export const LOGOUT_URI = 'https://app.example/backchannel-logout'

export interface Logout {
  number: number
  clientId: string
  personId: string
  fact: { sid?: string }
  actionId: string | null
  replacedBy: number | null
}

/** The logout tokens that wait for an application, in their order. */
export async function waitingLogouts({ services }: TestApp, clientId: string): Promise<Logout[]> {
  const rows = await services.db.read
    .selectFrom('outbox_deliveries')
    .selectAll()
    .where('kind', '=', 'logout')
    .where('state', '=', 'waiting')
    .where('receiver_id', '=', clientId)
    .orderBy('number')
    .execute()
  return rows.map((row) => ({
    number: row.number,
    clientId: row.receiver_id,
    personId: row.person_id,
    fact: JSON.parse(row.fact) as Logout['fact'],
    actionId: row.action_id,
    replacedBy: row.replaced_by,
  }))
}

/** What an application is told about a person, without what is left out. */
export async function toldOf(
  app: TestApp,
  { clientId }: { clientId: string },
  { user }: { user: { id: string } },
): Promise<Logout['fact'][]> {
  const logouts = await waitingLogouts(app, clientId)
  return logouts
    .filter(({ personId, replacedBy }) => personId === user.id && replacedBy === null)
    .map(({ fact }) => fact)
}
