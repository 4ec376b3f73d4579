import { Badge, Box, Button, Group, Textarea, TextInput, Tooltip } from '@mantine/core'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { isPrivateKey } from '../../../src/platform/openssh/private-key.ts'
import { answer, api } from '../api/client.ts'
import type { SshKey } from '../api/shapes.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { ChooseFileButton } from '../ui/ChooseFileButton.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { EmptyState } from '../ui/EmptyState.tsx'
import { useSubmitForm } from '../ui/Form.tsx'
import { ConfirmDialog, FormDialog } from '../ui/FormDialog.tsx'
import { Icon } from '../ui/Icon.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { RelativeTime } from '../ui/RelativeTime.tsx'
import { Row, Rows } from '../ui/Rows.tsx'
import { Section } from '../ui/Section.tsx'
import { keysQuery } from './ssh-queries.ts'

export function KeysPanel() {
  const texts = useTexts('ssh').keys
  const shared = useTexts('shared')
  const client = useQueryClient()
  const query = useQuery(keysQuery)
  const [adding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<SshKey>()
  const reload = () => client.invalidateQueries({ queryKey: ['ssh'] })

  return (
    <Section
      title={texts.title}
      description={texts.description}
      flush
      actions={
        <Button size="sm" leftSection={<Icon name="plus" size={16} />} onClick={() => setAdding(true)}>
          {texts.add}
        </Button>
      }
    >
      <QueryView
        query={query}
        isEmpty={({ keys }) => keys.length === 0}
        empty={
          <>
            <EmptyState icon="key" title={texts.emptyTitle}>
              {texts.empty}
            </EmptyState>
            <Box px="lg" pb="lg">
              <CodeBlock label="ssh-keygen" value="ssh-keygen -t ed25519 -f ~/.ssh/id_ed25519" />
            </Box>
          </>
        }
      >
        {({ keys }) => (
          <Rows label={texts.title}>
            {keys.map((key) => (
              <Row
                key={key.id}
                icon="key"
                title={key.name}
                badge={
                  key.ephemeral && (
                    <Tooltip
                      label={texts.ephemeralHint}
                      multiline
                      maw={280}
                      events={{ hover: true, focus: true, touch: true }}
                    >
                      <Badge size="sm" variant="light" color="gray" tabIndex={0}>
                        {texts.ephemeral}
                      </Badge>
                    </Tooltip>
                  )
                }
                meta={
                  <>
                    <Box ff="monospace" fz="xs">
                      {key.fingerprint}
                    </Box>
                    {texts.added} <RelativeTime at={key.createdAt} /> · {texts.lastUsed}{' '}
                    {key.lastUsedAt ? <RelativeTime at={key.lastUsedAt} /> : shared.never}
                  </>
                }
                actions={
                  <Button size="xs" variant="subtle" color="red" onClick={() => setRemoving(key)}>
                    {shared.remove}
                  </Button>
                }
              />
            ))}
          </Rows>
        )}
      </QueryView>
      {adding && <AddKeyDialog onClose={() => setAdding(false)} onDone={reload} />}
      {removing && (
        <ConfirmDialog
          title={texts.removeTitle(removing.name)}
          confirm={shared.remove}
          onClose={() => setRemoving(undefined)}
          action={async () => {
            await answer(api.DELETE('/api/ssh/keys/{id}', { params: { path: { id: removing.id } } }))
            await reload()
          }}
        >
          {texts.removeText}
        </ConfirmDialog>
      )}
    </Section>
  )
}

/** The comment of a public key usually names the device, so it makes a good first name. */
const commentOf = (publicKey: string) =>
  isPrivateKey(publicKey) ? '' : publicKey.trim().split(/\s+/).slice(2).join(' ').slice(0, 100)

function AddKeyDialog({ onClose, onDone }: { onClose: () => void; onDone: () => Promise<unknown> }) {
  const texts = useTexts('ssh').keys
  const form = useSubmitForm({
    initialValues: { name: '', publicKey: '' },
    async submit({ name, publicKey }) {
      // It must not leave the device, not even to be refused.
      if (isPrivateKey(publicKey)) throw new Error(texts.isPrivate)
      await answer(api.POST('/api/ssh/keys', { body: { name: name.trim(), publicKey: publicKey.trim() } }))
      await onDone()
    },
    onSuccess: onClose,
  })

  function take(text: string) {
    const { name, publicKey } = form.getValues()
    // A name that was typed stays; one that came from the key before goes with it.
    if (name === '' || name === commentOf(publicKey)) form.setFieldValue('name', commentOf(text))
    form.setFieldValue('publicKey', text)
  }

  return (
    <FormDialog title={texts.add} form={form} submit={texts.add} size="lg" onClose={onClose}>
      <Textarea
        label={texts.publicKey}
        description={texts.publicKeyHint}
        data-autofocus
        required
        withAsterisk={false}
        autosize
        minRows={3}
        styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '0.8125rem' } }}
        {...form.getInputProps('publicKey')}
        onChange={(event) => take(event.currentTarget.value)}
      />
      <Group>
        <ChooseFileButton size="xs" accept=".pub,text/plain" onChosen={(file) => void file.text().then(take)}>
          {texts.chooseFile}
        </ChooseFileButton>
      </Group>
      <TextInput
        label={texts.name}
        description={texts.nameHint}
        required
        withAsterisk={false}
        maxLength={100}
        {...form.getInputProps('name')}
      />
    </FormDialog>
  )
}
