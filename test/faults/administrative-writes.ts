import { newPublicKey } from '../ssh/public-keys.ts'
import type { Answer } from '../support/http-client.ts'
import { becomes } from './ledger.ts'
import { between } from './run-options.ts'
import { effectsOfDisabling, type Person, type WorkerContext, type Write } from './worker-context.ts'

const HOUR_MS = 3_600_000

const asAdmin = ({ installation }: WorkerContext, method: string, path: string, json?: unknown) =>
  installation.send(method, path, { cookie: installation.admin.cookie, ...(json === undefined ? {} : { json }) })

async function changeRole(context: WorkerContext, person: Person, roleId: string, holds: boolean): Promise<boolean> {
  const path = `/api/admin/users/${person.id}/roles`
  const done = await context.attempt(
    'change of roles',
    200,
    () => (holds ? asAdmin(context, 'POST', path, { roleId }) : asAdmin(context, 'DELETE', `${path}/${roleId}`)),
    [becomes(holds, context.facts.holdsRole(person.id, roleId))],
  )
  if (holds) person.roles.add(roleId)
  else person.roles.delete(roleId)
  return done !== undefined
}

export const toggleRole: Write = (context, person) =>
  changeRole(context, person, context.installation.otherRole, !person.roles.has(context.installation.otherRole))

export const issueCertificate: Write = async (context, person) => {
  const { installation, facts, attempt } = context
  const [cookie = ''] = person.sessions
  if (!person.roles.has(installation.staffRole) && !(await changeRole(context, person, installation.staffRole, true)))
    return false
  if (person.keyId === undefined) {
    const json = { name: 'laptop', publicKey: newPublicKey() }
    const added = await attempt('SSH key', 201, () => installation.send('POST', '/api/ssh/keys', { cookie, json }), [])
    if (!added) return false
    person.keyId = added.json<{ key: { id: string } }>().key.id
  }
  const issued = await attempt(
    'certificate',
    201,
    () =>
      installation.send('POST', '/api/ssh/certs/issue', {
        cookie,
        json: { savedKeyId: person.keyId, ttlSeconds: 3600 },
      }),
    [],
    (answer) => {
      const certificate = answer.json<{ id: string; serial: string }>()
      return [becomes(true, facts.isLogged(certificate)), becomes(false, facts.isRevoked(certificate))]
    },
  )
  if (issued) person.certificates.push(issued.json<{ id: string; serial: string }>())
  return issued !== undefined
}

export const revokeCertificate: Write = async (context, { certificates }) => {
  const certificate = certificates.shift()
  if (!certificate) return true
  const path = `/api/ssh/certs/${certificate.id}/revoke`
  return Boolean(
    await context.attempt(
      'revocation of a certificate',
      200,
      () => asAdmin(context, 'POST', path, { reason: 'test' }),
      [becomes(true, context.facts.isRevoked(certificate))],
    ),
  )
}

const lifecycleOf = ({ id }: Person) => `/api/admin/users/${id}/lifecycle`

async function schedule(
  context: WorkerContext,
  person: Person,
  executeAt: number,
  statuses: string[],
): Promise<string | undefined> {
  const { facts, attempt } = context
  const idOf = (answer: Answer) => answer.json<{ lifecycleActionId: string }>().lifecycleActionId
  const scheduled = await attempt(
    'scheduled action',
    200,
    () => asAdmin(context, 'POST', lifecycleOf(person), { action: 'disable', executeAt }),
    [],
    (answer) => [becomes(true, facts.hasAction(person.id, idOf(answer), statuses))],
    // A request that a frozen replica had received may be read after its time.
    ({ status }) => status === 400 && Date.now() > executeAt,
  )
  return scheduled && idOf(scheduled)
}

export const scheduleForLater: Write = async (context, person) => {
  const actionId = await schedule(context, person, Date.now() + HOUR_MS, ['pending'])
  if (actionId !== undefined) person.scheduled.push(actionId)
  return actionId !== undefined
}

export const cancelScheduled: Write = async (context, person) => {
  const actionId = person.scheduled.pop()
  if (actionId === undefined) return true
  const { facts, attempt } = context
  return Boolean(
    await attempt('cancelled action', 200, () => asAdmin(context, 'DELETE', `${lifecycleOf(person)}/${actionId}`), [
      becomes(false, facts.hasAction(person.id, actionId, ['pending'])),
      becomes(true, facts.hasAction(person.id, actionId, ['cancelled'])),
    ]),
  )
}

/** The worker stops acting for this person. What the scheduled action will change can no longer be predicted, so it is forgotten. */
export const scheduleSoon: Write = async (context, person) => {
  for (const { key } of effectsOfDisabling(context.facts, person)) context.ledger.forget(key)
  const executeAt = Date.now() + Math.round(between(context.random, ...context.soonMs))
  const actionId = await schedule(context, person, executeAt, ['pending', 'running', 'completed'])
  if (actionId !== undefined) context.scheduledDisablings.push({ person, actionId })
  return false
}

export const disableNow: Write = async (context, person) => {
  await context.attempt(
    'disabling',
    200,
    () => asAdmin(context, 'POST', lifecycleOf(person), { action: 'disable' }),
    effectsOfDisabling(context.facts, person),
  )
  return false
}
