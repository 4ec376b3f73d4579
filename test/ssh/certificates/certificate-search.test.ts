import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharedApp } from '../../support/app.ts'
import { onEachEngine } from '../../support/engines.ts'
import { signedInPerson } from '../../support/people.ts'
import { issue, saveKey } from '../public-keys.ts'

onEachEngine('searching certificates', (engine) => {
  const shared = sharedApp({ engine })

  test('finds what a principal, the key id, the serial or the email begins with, in any case', async () => {
    const lister = await signedInPerson(shared(), { permissions: ['ssh:cert:list'] })
    const issueTo = async (email: string, principals: string[]) => {
      const person = await signedInPerson(shared(), {
        email,
        permissions: ['ssh:keys:manage', 'ssh:cert:issue'],
        principals,
      })
      return issue(person, await saveKey(person))
    }
    const ada = await issueTo('ada@example.com', ['deploy', 'web_1'])
    const bob = await issueTo('bob@example.org', ['backup', 'webx1'])
    const search = async (q: string) => {
      const answer = await lister.get(`/api/ssh/certs?q=${encodeURIComponent(q)}`)
      assert.equal(answer.statusCode, 200, answer.body)
      return answer.json().certificates.map(({ id }: { id: string }) => id)
    }
    assert.deepEqual(await search('ADA@'), [ada.id])
    assert.deepEqual(await search('example'), [])
    assert.deepEqual(await search('Depl'), [ada.id])
    assert.deepEqual(await search('eploy'), [])
    assert.deepEqual(await search('web_'), [ada.id])
    assert.deepEqual(await search('web'), [bob.id, ada.id])
    assert.deepEqual(await search('%'), [])
    assert.deepEqual(await search(','), [])
    assert.deepEqual(await search('"'), [])
    assert.deepEqual(await search(bob.keyId.toUpperCase()), [bob.id])
    assert.deepEqual(await search(bob.keyId.slice(1)), [])
    assert.ok((await search(bob.serial)).includes(bob.id))
    assert.deepEqual(await search(`9${bob.serial}`), [])
  })
})
