import { Type } from 'typebox'
import { listAuthorizedApplications } from '../../oauth/authorizations/code-store.ts'
import { failures, type Routes, strict } from '../../platform/http/contracts.ts'
import { newId } from '../../platform/ids.ts'
import { listCertificates, SshCertificate } from '../../ssh/certificates/certificate-store.ts'
import { dryRun } from '../../storage/database.ts'
import type { IdentityServices } from '../access-events.ts'
import { listTold } from '../receipts/open-receipts.ts'
import { NOTHING_ENDED, Receiver } from '../receipts/receipt.ts'
import { readHoldings } from '../roles/holdings.ts'
import { actorOf, type SignedInActor } from '../sessions/actor.ts'
import { needs } from '../sessions/guards.ts'
import { recheckActor } from '../sessions/lock-actor.ts'
import { listSessions } from '../sessions/session-store.ts'
import { Session } from '../sessions/session.ts'
import { refuseUnknownUser } from '../users/user-store.ts'
import { ActionName } from './lifecycle-action.ts'
import { revokeAccess } from './revoke-access.ts'
import { disableAccounts } from './switch-account.ts'

const Counts = Type.Object(
  { sessions: Type.Integer(), apps: Type.Integer(), certificates: Type.Integer() },
  { title: 'EndedCounts' },
)

const Names = Type.Object(
  {
    sessions: Type.Array(Session),
    apps: Type.Array(Type.Object({ client_id: Type.String(), name: Type.String() })),
    certificates: Type.Array(SshCertificate),
  },
  { title: 'EndedNames', description: 'At most 200 of each.' },
)

/** What an action would end: by name, or how many for a caller who may not see users. */
const Preview = Type.Union([Names, Counts])
type Preview = Type.Static<typeof Preview>

/** What disabling or deleting an account would end. */
export const lifecyclePreviewRoutes =
  (services: IdentityServices): Routes =>
  async (app) => {
    app.post(
      '/api/admin/users/:userId/lifecycle/preview',
      {
        onRequest: needs(services, 'users:lifecycle'),
        schema: {
          tags: ['Lifecycle'],
          summary: 'What an action would end, and who would be told',
          description:
            'Changes nothing and leaves no record. By name with users:read as well, otherwise only how many.',
          params: Type.Object({ userId: Type.String({ minLength: 1, maxLength: 64 }) }),
          body: Type.Object({ action: ActionName }, strict),
          response: {
            200: Type.Object({
              ends: Preview,
              tells: Type.Array(Receiver, { description: 'Who would be told.' }),
            }),
            ...failures(400, 401, 403, 404),
          },
        },
      },
      async (request) => previewAction(services, { ...request.params, ...request.body }, actorOf(services, request)),
    )
  }

type PreviewServices = Pick<IdentityServices, 'db' | 'now' | 'signals' | 'accessSubscribers'>

const MAX_NAMES = 200

/** What an action would end, and who would be told, if it were carried out now. Enabling ends nothing. Leaves no record. */
async function previewAction(
  services: PreviewServices,
  { userId, action }: { userId: string; action: ActionName },
  actor: SignedInActor,
): Promise<{ ends: Preview; tells: Receiver[] }> {
  const { db, now } = services
  await recheckActor(services, actor)
  await refuseUnknownUser(db.read, userId)
  const maySeeNames = (await readHoldings(db.read, actor.id)).permissions.has('users:read')
  if (action === 'enable') {
    const ends = maySeeNames ? { sessions: [], apps: [], certificates: [] } : { sessions: 0, apps: 0, certificates: 0 }
    return { ends, tells: [] }
  }
  const { ends, tells } = await tryDisable(services, userId, actor)
  if (!maySeeNames) return { ends, tells }
  const [at, limit] = [now(), MAX_NAMES]
  const { certificates } = await listCertificates(db.read, { userId, state: 'valid' }, at, limit)
  const sessions = await listSessions(db.read, userId, actor.sessionId, at)
  const apps = await listAuthorizedApplications(db.read, { userId, now: at, limit })
  return { ends: { sessions: sessions.slice(0, limit), apps, certificates }, tells }
}

/** It is disabled in a transaction that is rolled back, so that this is what the action itself does. */
const tryDisable = (services: PreviewServices, userId: string, actor: SignedInActor) =>
  dryRun(services.db, async (trx) => {
    const lifecycleActionId = newId()
    const disabled = await disableAccounts(services, trx, [{ userId, actor, lifecycleActionId }], 'disabled')
    // Of an account that is disabled already, what a sign-in under way has added.
    const ended = disabled.size > 0 ? disabled : await revokeAccess(services, trx, [userId], { by: 'disabled' })
    const { sessions, tokens: apps, certificates } = ended.get(userId) ?? NOTHING_ENDED
    const told = await listTold(services, trx, lifecycleActionId)
    const tells = told.map(({ kind, id, name }) => ({ kind, id, name }))
    return { ends: { sessions, apps, certificates }, tells }
  })
