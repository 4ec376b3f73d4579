import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { mergeSsh, sshDraft, type SshDraft, sshErrors, sshOf } from '../../../../dashboard/src/admin/roles/ssh-draft.ts'
import type { Role } from '../../../../dashboard/src/api/shapes.ts'
import { roles } from '../../../../dashboard/src/texts/en/admin/people.ts'

const RULES: Role['ssh'][] = [
  null,
  { maxTtlSeconds: 600, sourceAddresses: ['192.0.2.0/24'], forceCommand: 'uptime', verifyRequired: true },
  { extensions: [] },
  { sudo: 'all' },
  { sudo: ['/usr/bin/du *', '/usr/sbin/reboot'] },
  {
    customExtensions: [
      { name: 'login@github.com', value: { attribute: 'github' } },
      { name: 'team@git.example.com', value: 'platform' },
    ],
  },
]

const draft = (changes: Partial<SshDraft>): SshDraft => ({ ...sshDraft(null), ...changes })
const wrongSudo = (sudo: string) => sshErrors(draft({ sudoKind: 'commands', sudo }), roles.ssh)['ssh.sudo']

describe('what a role says about SSH', () => {
  test('is the same after it was shown and not touched', () => {
    assert.deepEqual(
      RULES.map((rules) => sshOf(sshDraft(rules))),
      RULES,
    )
    for (const rules of RULES) assert.deepEqual(sshErrors(sshDraft(rules), roles.ssh), {})
  })

  test('gives the commands that are named, and none once nothing or everything is chosen', () => {
    const sudo = ' /usr/bin/du   *\n\n/usr/sbin/reboot '
    assert.deepEqual(sshOf(draft({ sudoKind: 'commands', sudo })), { sudo: ['/usr/bin/du *', '/usr/sbin/reboot'] })
    assert.equal(sshOf(draft({ sudoKind: 'none', sudo })), null)
    assert.deepEqual(sshOf(draft({ sudoKind: 'all', sudo })), { sudo: 'all' })
  })

  test('is changed where somebody has changed it, and elsewhere stays as it is now', () => {
    const before: Role['ssh'] = { maxTtlSeconds: 600, sudo: 'all' }
    const longer: Role['ssh'] = { maxTtlSeconds: 1200, sudo: 'all' }
    assert.deepEqual(mergeSsh(before, longer, before), longer)
    // Somebody else has taken the sudo away, or all of it.
    assert.deepEqual(mergeSsh(before, longer, { maxTtlSeconds: 600 }), { maxTtlSeconds: 1200 })
    assert.deepEqual(mergeSsh(before, longer, null), { maxTtlSeconds: 1200 })
    assert.deepEqual(mergeSsh(before, { maxTtlSeconds: 600 }, longer), { maxTtlSeconds: 1200 })
    assert.equal(mergeSsh(before, null, before), null)
  })

  test('names the command that sudo could not take, and says when there is none or there are too many', () => {
    for (const command of [
      'reboot',
      '/usr/bin/systemctl restart web',
      '/usr/../bin/sh',
      '/usr/bin/',
      '/bin/ls,/bin/sh',
    ])
      assert.match(wrongSudo(`/usr/sbin/reboot\n${command}`) ?? '', new RegExp(`^${RegExp.escape(command)} `))
    assert.equal(wrongSudo(' \n'), roles.ssh.sudo.noCommand)
    assert.equal(wrongSudo('/bin/ls\n/bin/ls'), roles.ssh.sudo.twice('/bin/ls'))
    const many = Array.from({ length: 33 }, (_, number) => `/bin/${number}`)
    assert.equal(wrongSudo(many.join('\n')), roles.ssh.sudo.tooMany(32))
    assert.equal(wrongSudo(many.slice(1).join('\n')), undefined)
  })

  test('says at each extension what is wrong with it', () => {
    const row = { name: 'login@github.com', source: 'text', value: 'ada' } as const
    const { git } = roles.ssh
    const customExtensions: SshDraft['customExtensions'] = [
      row,
      { ...row, value: 'Adä' },
      { name: 'permit@openssh.com', source: 'attribute', value: 'git hub' },
    ]
    assert.deepEqual(sshErrors(draft({ customExtensions }), roles.ssh), {
      'ssh.customExtensions.1.name': git.twice,
      'ssh.customExtensions.1.value': git.badText,
      'ssh.customExtensions.2.name': git.badName,
      'ssh.customExtensions.2.value': git.badAttribute,
    })
  })
})
