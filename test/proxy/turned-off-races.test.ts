import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { findSignedIn } from '../../src/identity/sessions/session-store.ts'
import { digest } from '../../src/platform/crypto/digest.ts'
import { signInAtSite } from '../../src/proxy/sign-in-at-site.ts'
import { lockSite, replaceSiteCookie } from '../../src/proxy/site-session-store.ts'
import type { Database } from '../../src/storage/database.ts'
import { sharedApp } from '../support/app.ts'
import { onEachEngine } from '../support/engines.ts'
import { untilLockWait } from '../support/lock-waits.ts'
import { signedInPerson, type SignedInPerson } from '../support/people.ts'
import { cookiesOf, createSite, forwardAuth, locationOf, NAVIGATION, signInAt, TRUSTING } from './visits.ts'

onEachEngine('a site that is turned off and on while somebody signs in there', (engine) => {
  const app = sharedApp({ engine, config: TRUSTING })
  let admin: SignedInPerson
  let person: SignedInPerson
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
    person = await signedInPerson(app())
  })

  /** Turns the site off and on while the transaction of this work is done and not committed. */
  async function turnDuring<T>(id: string, run: (db: Database) => Promise<T>): Promise<T> {
    const { db } = app().services
    const isDone = Promise.withResolvers<void>()
    const mayCommit = Promise.withResolvers<void>()
    const transaction: Database['transaction'] = (work) =>
      db.transaction(async (trx) => {
        const answer = await work(trx)
        isDone.resolve()
        await mayCommit.promise
        return answer
      })
    const running = run({ ...db, transaction })
    await isDone.promise
    const turn = async (disabled: boolean) => {
      const answer = await admin.patch(`/oauth/clients/${id}`, { disabled })
      assert.equal(answer.statusCode, 200, answer.body)
    }
    let isTurned = false
    const turned = turn(true)
      .then(() => turn(false))
      .finally(() => {
        isTurned = true
      })
    // SQLite has one writer, so nothing is turned yet. On PostgreSQL it is done before the commit, or waits for it.
    if (engine === 'postgres') await untilLockWait(db.read, () => isTurned)
    mayCommit.resolve()
    await turned
    return running
  }

  test('gives no way in by the code of that sign-in', async () => {
    const { id, origin } = await createSite(admin)
    const begun = await forwardAuth(app(), { url: `${origin}/.latchkey/login?to=/`, headers: NAVIGATION })
    const { host = '', state = '', to = '' } = Object.fromEntries(new URL(locationOf(begun)).searchParams)
    const { services } = app()
    const signedIn = await findSignedIn(services.db.read, digest(person.cookie), services.now())
    const back = await turnDuring(id, (db) => signInAtSite({ ...services, db }, { host, state, to }, signedIn))
    const visit = { url: back, cookie: cookiesOf(begun).join('; '), headers: NAVIGATION }
    assert.equal((await forwardAuth(app(), visit)).statusCode, 403)
    assert.notEqual(await signInAt(app(), person, `${origin}/`), '')
  })

  test('keeps nobody in by a cookie that is added meanwhile', async () => {
    const { id, host, origin } = await createSite(admin)
    const { now } = app().services
    const token = 'A'.repeat(43)
    const cookie = await signInAt(app(), person, `${origin}/`)
    const added = { tokenHash: digest(token), host, sessionId: person.sessionId, now: now() }
    await turnDuring(id, (db) =>
      db.transaction(async (trx) => {
        assert.equal((await lockSite(trx, host))?.disabled, false)
        await replaceSiteCookie(trx, added)
      }),
    )
    for (const value of [cookie, cookie.replace(/=.*/, `=${token}`)])
      assert.equal((await forwardAuth(app(), { url: `${origin}/`, cookie: value })).statusCode, 401)
    await app().services.db.transaction((trx) => replaceSiteCookie(trx, added))
    const anew = { url: `${origin}/`, cookie: cookie.replace(/=.*/, `=${token}`) }
    assert.equal((await forwardAuth(app(), anew)).statusCode, 200, 'it is a cookie that works')
  })
})
