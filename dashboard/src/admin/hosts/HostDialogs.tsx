import { Checkbox, MultiSelect, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../../api/client.ts'
import type { Host } from '../../api/shapes.ts'
import { useMay } from '../../session/me.ts'
import { useTexts } from '../../texts/TextsProvider.tsx'
import { CodeBlock } from '../../ui/CodeBlock.tsx'
import { ShownOnceDialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Form.tsx'
import { FormDialog } from '../../ui/FormDialog.tsx'
import { rolesQuery } from '../users/user-queries.ts'

type HostDialogProps = {
  host?: Host
  onClose: () => void
  /** With what enrolls the host, if it is new. */
  onDone: (enrollment?: Enrollment) => Promise<unknown>
}

const listed = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/** Registers a host, or changes one. Only what was changed is sent. */
export function HostDialog({ host, onClose, onDone }: HostDialogProps) {
  const texts = useTexts('admin').hosts
  const { save } = useTexts('shared')
  const may = useMay()
  const roles = useQuery({ ...rolesQuery, enabled: may('roles:read') })
  const [name, setName] = useState(host?.name ?? '')
  const [hostnames, setHostnames] = useState(host?.hostnames.join('\n') ?? '')
  const [everybody, setEverybody] = useState((host?.allowedRoles ?? null) === null)
  const [allowed, setAllowed] = useState(host?.allowedRoles ?? [])

  const submit = async () => {
    const after = { name: name.trim(), hostnames: listed(hostnames), allowedRoles: everybody ? null : allowed }
    if (!host) {
      const made = await answer(api.POST('/api/ssh/hosts', { body: after }))
      return onDone({ name: made.host.name, command: made.command })
    }
    const body = {
      ...(after.name === host.name ? {} : { name: after.name }),
      ...(after.hostnames.join() === host.hostnames.join() ? {} : { hostnames: after.hostnames }),
      ...(after.allowedRoles?.toSorted().join() === host.allowedRoles?.join()
        ? {}
        : { allowedRoles: after.allowedRoles }),
    }
    await answer(api.PATCH('/api/ssh/hosts/{id}', { params: { path: { id: host.id } }, body }))
    return onDone()
  }

  return (
    <FormDialog
      title={host ? texts.editTitle(host.name) : texts.create}
      submit={host ? save : texts.createSubmit}
      action={submit}
      onClose={onClose}
    >
      <Field name="name">
        <TextInput
          label={texts.name}
          data-autofocus
          required
          maxLength={64}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      </Field>
      <Field name="hostnames">
        <Textarea
          label={texts.hostnames}
          description={texts.hostnamesHint}
          required
          autosize
          minRows={2}
          value={hostnames}
          onChange={(event) => setHostnames(event.currentTarget.value)}
        />
      </Field>
      <Checkbox
        label={texts.everybody}
        checked={everybody}
        onChange={(event) => setEverybody(event.currentTarget.checked)}
      />
      {!everybody && (
        <Field name="allowedRoles">
          <MultiSelect
            label={texts.allowedRoles}
            description={texts.allowedRolesHint}
            data={(roles.data?.roles ?? []).map((role) => ({ value: role.id, label: role.name }))}
            value={allowed}
            onChange={setAllowed}
          />
        </Field>
      )}
    </FormDialog>
  )
}

type NewTokenDialogProps = { host: Host; onClose: () => void; onDone: (enrollment: Enrollment) => Promise<unknown> }

export function NewTokenDialog({ host, onClose, onDone }: NewTokenDialogProps) {
  const texts = useTexts('admin').hosts
  const [revoke, setRevoke] = useState(false)
  const submit = async () => {
    const params = { path: { id: host.id } }
    const made = await answer(api.POST('/api/ssh/hosts/{id}/enrollment', { params, body: { revoke } }))
    await onDone({ name: made.host.name, command: made.command })
  }
  return (
    <FormDialog title={texts.newTokenTitle(host.name)} submit={texts.newToken} action={submit} onClose={onClose}>
      <Text>{texts.newTokenText}</Text>
      <Checkbox
        label={texts.revokeNow}
        description={texts.revokeNowHint}
        checked={revoke}
        onChange={(event) => setRevoke(event.currentTarget.checked)}
      />
    </FormDialog>
  )
}

export type Enrollment = { name: string; command: string }

/** The command that enrolls a host, with its token. */
export function CommandDialog({ enrollment, onClose }: { enrollment: Enrollment; onClose: () => void }) {
  const texts = useTexts('admin').hosts
  const warning = { icon: 'terminal' as const, title: texts.commandTitle, text: texts.commandText }
  return (
    <ShownOnceDialog title={enrollment.name} warning={warning} done={texts.done} onClose={onClose}>
      <CodeBlock label={texts.command} value={enrollment.command} wrap />
    </ShownOnceDialog>
  )
}
