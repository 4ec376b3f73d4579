import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ORIGIN, sharedApp } from '../../support/app.ts'
import { onMainEngine } from '../../support/engines.ts'
import { anonymous, signedInPerson } from '../../support/people.ts'

const ISSUER = 'http://openid.net/specs/connect/1.0/issuer'

onMainEngine('WebFinger', (engine) => {
  const app = sharedApp({ engine })
  const ask = (...parameters: [string, string][]) =>
    anonymous(app()).get(`/.well-known/webfinger?${new URLSearchParams(parameters).toString()}`)

  test('names the issuer, to any page, and in the same way whether somebody has an account or not', async () => {
    const { user } = await signedInPerson(app())
    for (const resource of [`acct:${user.email}`, 'acct:nobody@example.com', 'https://example.com/ada']) {
      const answer = await ask(['resource', resource], ['rel', ISSUER])
      assert.equal(answer.statusCode, 200)
      assert.match(answer.headers['content-type'] as string, /^application\/jrd\+json/)
      assert.equal(answer.headers['access-control-allow-origin'], '*')
      assert.deepEqual(answer.json(), { subject: resource, links: [{ rel: ISSUER, href: ORIGIN }] })
    }
  })

  test('answers with the relations that are asked for, and knows one', async () => {
    const resource: [string, string] = ['resource', 'acct:ada@example.com']
    const links = async (...rels: string[]) =>
      (await ask(resource, ...rels.map((rel): [string, string] => ['rel', rel]))).json<{ links: unknown[] }>().links
    const issuer = { rel: ISSUER, href: ORIGIN }
    assert.deepEqual(await links(), [issuer])
    assert.deepEqual(await links('self', ISSUER), [issuer])
    assert.deepEqual(await links('self'), [])
  })

  test('refuses what is no URI with 400', async () => {
    for (const parameters of [[], [['resource', '']], [['resource', 'ada']], [['resource', 'acct:a\nb']]])
      assert.equal((await ask(...(parameters as [string, string][]))).statusCode, 400)
    assert.equal((await ask(['resource', `acct:${'a'.repeat(3000)}`])).statusCode, 400)
  })
})
