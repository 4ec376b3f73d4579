import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ACCESS_ENDS, type AccessEnd } from '../../../src/vocabulary/access-ends.ts'
import { sharedApp } from '../../support/app.ts'
import { claimsOf, getTokens, registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson, type SignedInPerson } from '../../support/people.ts'
import { endAccess, giveAccess } from '../../support/ways-access-ends.ts'
import { LOGOUT_URI, toldOf, waitingLogouts } from './logouts.ts'

/** The ways of which somebody without the role hears too. */
const OF_EVERYBODY = new Set<AccessEnd>(['application_narrowed', 'role_deleted', 'client_disabled', 'client_deleted'])
const WAYS = Object.keys(ACCESS_ENDS) as AccessEnd[]

onEachEngine('who is told by logout token', (engine) => {
  const app = sharedApp({ engine, sends: false })
  let admin: SignedInPerson
  before(async () => {
    admin = await signedInPerson(app(), { admin: true })
  })

  for (const way of WAYS)
    for (const backchannelLogoutSessionRequired of [false, true])
      test(`${way}: ${backchannelLogoutSessionRequired ? 'each session by its sid' : 'one token'}`, async () => {
        const settings = { backchannelLogoutUri: LOGOUT_URI, backchannelLogoutSessionRequired }
        const access = await giveAccess(app(), admin, settings)
        const { person, application, tokens } = access
        const bystander = await signedInPerson(app())
        await getTokens(app(), bystander, application)
        const other = await registerApplication(app(), settings)
        const { sid: otherSid } = claimsOf((await getTokens(app(), access.elsewhere, other)).id_token)
        const silent = await registerApplication(app())
        await getTokens(app(), person, silent)
        await registerApplication(app(), settings)

        await endAccess(access, way)

        const { reach } = ACCESS_ENDS[way]
        const { sid } = claimsOf(tokens.id_token)
        assert.match(String(sid), /^[\w-]{32}$/)
        const all = backchannelLogoutSessionRequired ? [{ sid }] : [{}]
        assert.deepEqual(await toldOf(app(), application, person), reach === 'session' ? [{ sid }] : all)
        const otherAll = backchannelLogoutSessionRequired ? [{ sid: otherSid }] : [{}]
        assert.deepEqual(await toldOf(app(), other, person), reach === 'person' ? otherAll : [])
        assert.equal((await toldOf(app(), application, bystander)).length, OF_EVERYBODY.has(way) ? 1 : 0)
        assert.deepEqual(await waitingLogouts(app(), silent.clientId), [])
        const [told] = await waitingLogouts(app(), application.clientId)
        assert.equal(told?.actionId !== null, way === 'disabled' || way === 'disabled_as_planned', 'in a receipt')
      })
})
