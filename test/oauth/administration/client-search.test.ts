import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { registerApplication } from '../../support/application.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'

onEachEngine('searching applications', (engine) => {
  const shared = sharedApp({ engine })

  test('finds those whose name contains the text in any case, or whose id it is, with pages', async () => {
    const reader = await signedInPerson(shared(), { permissions: ['oauth_clients:read'] })
    const made: Record<string, string> = {}
    for (const name of ['Wiki', 'Wiki of 100%', 'Mail_box', 'Mailbox', 'Ärzte', 'ÖFFNUNG Σ']) {
      made[name] = (await registerApplication(shared(), { name })).clientId
      shared().clock.advance(1)
    }
    const search = async (q: string) => {
      const answer = await reader.get(`/oauth/clients?q=${encodeURIComponent(q)}`)
      assert.equal(answer.statusCode, 200)
      return answer.json().clients.map(({ name }: { name: string }) => name)
    }
    assert.deepEqual(await search('WIKI'), ['Wiki of 100%', 'Wiki'])
    assert.deepEqual(await search('l_b'), ['Mail_box'])
    assert.deepEqual(await search('%'), ['Wiki of 100%'])
    assert.deepEqual(await search(made['Mailbox']?.toUpperCase() ?? ''), ['Mailbox'])
    assert.deepEqual(await search(made['Mailbox']?.slice(0, -1) ?? ''), [])
    assert.deepEqual(await search('nothing'), [])
    // The case of other letters than those of English, too, and letters in two parts.
    for (const q of ['ärzte', 'ÄRZTE', 'A\u0308RZ']) assert.deepEqual(await search(q), ['Ärzte'], q)
    for (const q of ['öffnung', 'Öff', 'σ']) assert.deepEqual(await search(q), ['ÖFFNUNG Σ'], q)
    const first = (await reader.get('/oauth/clients?q=wiki&limit=1')).json()
    const second = (await reader.get(`/oauth/clients?q=wiki&limit=1&cursor=${first.nextCursor}`)).json()
    assert.deepEqual([first.clients[0].name, second.clients[0].name], ['Wiki of 100%', 'Wiki'])
    assert.equal(second.nextCursor, null)
  })
})
