import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { type Application, getTokens, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { LOGOUT_URI, toldOf, waitingLogouts } from './logouts.ts'

const PEOPLE = 250

onEachEngine('an application that is turned off or deleted', (engine) => {
  const app = sharedApp({ engine, sends: false })
  let admin: SignedInPerson
  let people: SignedInPerson[] = []
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
    people = []
    for (let each = 0; each < PEOPLE; each++) people.push(await signedInPerson(app()))
  })

  /** With a grant of everybody, as their sign-ins leave it. */
  const newApplication = async (): Promise<Application> => {
    const application = await registerApplication(app(), { backchannelLogoutUri: LOGOUT_URI })
    const { clientId } = application
    await app().services.db.transaction((trx) =>
      trx
        .insertInto('oauth_grants')
        .values(
          people.map(({ user }) => ({
            user_id: user.id,
            client_id: clientId,
            scopes: '["openid"]',
            created_at: 1,
            updated_at: 1,
          })),
        )
        .execute(),
    )
    return application
  }
  const urlOf = ({ clientId }: Application) => `/oauth/clients/${clientId}`
  const turn = async (application: Application, disabled: boolean) =>
    assert.equal((await admin.patch(urlOf(application), { disabled })).statusCode, 200)
  const countTold = async ({ clientId }: Application) => {
    const logouts = await waitingLogouts(app(), clientId)
    assert.equal(new Set(logouts.map(({ personId }) => personId)).size, logouts.length, 'each person once')
    assert.ok(logouts.every(({ fact }) => Object.keys(fact).length === 0))
    return logouts.length
  }
  const rowOf = async ({ clientId }: Application) =>
    (
      await app()
        .services.db.read.selectFrom('oauth_clients')
        .select(['telling', 'backchannel_logout_uri as uri'])
        .where('client_id', '=', clientId)
        .execute()
    )[0]

  test('is told of everybody: of the first people in the transaction, of the rest in the next second', async () => {
    const application = await newApplication()
    await turn(application, true)
    assert.equal(await countTold(application), 100)
    assert.equal((await rowOf(application))?.telling, 1)
    await Promise.all([app().tick(), app().tick()])
    assert.equal(await countTold(application), PEOPLE)
    assert.equal((await rowOf(application))?.telling, 0)
    await turn(application, false)
    await turn(application, true)
    await app().tick()
    assert.equal(await countTold(application), PEOPLE, 'nobody twice')
  })

  test('on again, it is told of whoever has signed in since', async () => {
    const application = await newApplication()
    await turn(application, true)
    await app().tick()
    await turn(application, false)
    const person = people[7] as SignedInPerson
    await getTokens(app(), person, application)
    await turn(application, true)
    assert.equal((await toldOf(app(), application, person)).length, 1)
    const logouts = await waitingLogouts(app(), application.clientId)
    assert.equal(logouts.length, PEOPLE + 1)
    assert.equal(logouts.filter(({ replacedBy }) => replacedBy !== null).length, 1)
  })

  test('deleted, its row and address stay until it was told of everybody, and that has ended', async () => {
    const application = await newApplication()
    assert.equal((await admin.delete(urlOf(application))).statusCode, 200)
    for (let run = 0; run < 3; run++) {
      app().clock.advance(10_000)
      await app().tick()
    }
    assert.equal(await countTold(application), PEOPLE)
    assert.deepEqual(await rowOf(application), { telling: 0, uri: LOGOUT_URI })
    assert.equal((await admin.get(urlOf(application))).statusCode, 404)
    const grants = await app()
      .services.db.read.selectFrom('oauth_grants')
      .select('user_id')
      .where('client_id', '=', application.clientId)
      .execute()
    assert.deepEqual(grants, [])
    await app().services.db.transaction((trx) =>
      trx
        .updateTable('outbox_deliveries')
        .set({ state: 'given_up', finished_at: app().clock.now() })
        .where('receiver_id', '=', application.clientId)
        .execute(),
    )
    app().clock.advance(10_000)
    await app().tick()
    assert.equal(await rowOf(application), undefined)
  })

  test('deleted by a process that died right after the commit, it is still told of everybody', async () => {
    const application = await newApplication()
    await app().services.db.transaction((trx) =>
      trx
        .updateTable('oauth_clients')
        .set({ deleted_at: app().clock.now(), telling: 1 })
        .where('client_id', '=', application.clientId)
        .execute(),
    )
    for (let run = 0; run < 3; run++) {
      app().clock.advance(10_000)
      await app().tick()
    }
    assert.equal(await countTold(application), PEOPLE)
  })

  test('a person who is disabled meanwhile is told of once', async () => {
    const application = await newApplication()
    await turn(application, true)
    const waiting = new Set((await waitingLogouts(app(), application.clientId)).map(({ personId }) => personId))
    const person = people.find(({ user }) => !waiting.has(user.id)) as SignedInPerson
    const disabled = await admin.post(`/api/admin/users/${person.user.id}/lifecycle`, { action: 'disable' })
    assert.equal(disabled.statusCode, 200)
    await app().tick()
    assert.equal(await countTold(application), PEOPLE)
    const told = (await waitingLogouts(app(), application.clientId)).find(({ personId }) => personId === person.user.id)
    assert.ok(told?.actionId, 'by the disable')
  })
})
