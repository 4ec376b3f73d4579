import { newPublicKey } from '../ssh/public-keys.ts'
import type { Answer } from '../support/visitor.ts'
import { becomes } from './ledger.ts'
import { between } from './rounds.ts'
import { cutOff, type Person, type Scene, type Write } from './scene.ts'

const HOUR = 3_600_000

const asAdmin = ({ world }: Scene, method: string, path: string, json?: unknown) =>
  world.ask(method, path, { cookie: world.admin.cookie, ...(json === undefined ? {} : { json }) })

async function changeRole(scene: Scene, person: Person, roleId: string, holds: boolean): Promise<boolean> {
  const path = `/api/admin/users/${person.id}/roles`
  const done = await scene.attempt(
    'change of roles',
    200,
    () => (holds ? asAdmin(scene, 'POST', path, { roleId }) : asAdmin(scene, 'DELETE', `${path}/${roleId}`)),
    [becomes(holds, scene.facts.holdsRole(person.id, roleId))],
  )
  if (holds) person.roles.add(roleId)
  else person.roles.delete(roleId)
  return done !== undefined
}

export const turnRole: Write = (scene, person) =>
  changeRole(scene, person, scene.world.otherRole, !person.roles.has(scene.world.otherRole))

export const issueCertificate: Write = async (scene, person) => {
  const { world, facts, attempt } = scene
  const [cookie = ''] = person.sessions
  if (!person.roles.has(world.staffRole) && !(await changeRole(scene, person, world.staffRole, true))) return false
  if (person.keyId === undefined) {
    const json = { name: 'laptop', publicKey: newPublicKey() }
    const added = await attempt('SSH key', 201, () => world.ask('POST', '/api/ssh/keys', { cookie, json }), [])
    if (!added) return false
    person.keyId = added.json<{ key: { id: string } }>().key.id
  }
  const issued = await attempt(
    'certificate',
    201,
    () => world.ask('POST', '/api/ssh/certs/issue', { cookie, json: { savedKeyId: person.keyId, ttlSeconds: 3600 } }),
    [],
    (answer) => {
      const certificate = answer.json<{ id: string; serial: string }>()
      return [becomes(true, facts.isLogged(certificate)), becomes(false, facts.isRevoked(certificate))]
    },
  )
  if (issued) person.certificates.push(issued.json<{ id: string; serial: string }>())
  return issued !== undefined
}

export const revokeCertificate: Write = async (scene, { certificates }) => {
  const certificate = certificates.shift()
  if (!certificate) return true
  const path = `/api/ssh/certs/${certificate.id}/revoke`
  return Boolean(
    await scene.attempt('revocation of a certificate', 200, () => asAdmin(scene, 'POST', path, { reason: 'test' }), [
      becomes(true, scene.facts.isRevoked(certificate)),
    ]),
  )
}

const lifecycleOf = ({ id }: Person) => `/api/admin/users/${id}/lifecycle`

async function plan(scene: Scene, person: Person, executeAt: number, statuses: string[]): Promise<string | undefined> {
  const { facts, attempt } = scene
  const idOf = (answer: Answer) => answer.json<{ lifecycleActionId: string }>().lifecycleActionId
  const planned = await attempt(
    'planned action',
    200,
    () => asAdmin(scene, 'POST', lifecycleOf(person), { action: 'disable', executeAt }),
    [],
    (answer) => [becomes(true, facts.hasAction(person.id, idOf(answer), statuses))],
  )
  return planned && idOf(planned)
}

export const planForLater: Write = async (scene, person) => {
  const actionId = await plan(scene, person, Date.now() + HOUR, ['pending'])
  if (actionId !== undefined) person.planned.push(actionId)
  return actionId !== undefined
}

export const cancelPlanned: Write = async (scene, person) => {
  const actionId = person.planned.pop()
  if (actionId === undefined) return true
  const { facts, attempt } = scene
  return Boolean(
    await attempt('cancelled action', 200, () => asAdmin(scene, 'DELETE', `${lifecycleOf(person)}/${actionId}`), [
      becomes(false, facts.hasAction(person.id, actionId, ['pending'])),
      becomes(true, facts.hasAction(person.id, actionId, ['cancelled'])),
    ]),
  )
}

/** Nobody acts for the person any more, and what is known of them holds only until their time has come. */
export const planSoon: Write = async (scene, person) => {
  for (const { key } of cutOff(scene.facts, person)) scene.ledger.forget(key)
  const executeAt = Date.now() + Math.round(between(scene.random, ...scene.soonMs))
  const actionId = await plan(scene, person, executeAt, ['pending', 'running', 'completed'])
  if (actionId !== undefined) scene.doomed.push({ person, actionId })
  return false
}

export const disableNow: Write = async (scene, person) => {
  await scene.attempt(
    'switch-off',
    200,
    () => asAdmin(scene, 'POST', lifecycleOf(person), { action: 'disable' }),
    cutOff(scene.facts, person),
  )
  return false
}
