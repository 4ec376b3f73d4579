import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answer, api } from '../api/client.ts'
import type { BegunTotp } from '../api/shapes.ts'
import { useSubmit } from '../lib/use-submit.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CodeBlock } from '../ui/CodeBlock.tsx'
import { ShownOnceDialog } from '../ui/Dialog.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'
import { useSubmitForm } from '../ui/Form.tsx'
import { ConfirmDialog, FormDialog } from '../ui/FormDialog.tsx'
import { QueryView } from '../ui/QueryView.tsx'
import { Section } from '../ui/Section.tsx'

const totpQuery = queryOptions({
  queryKey: ['totp'],
  queryFn: () => answer(api.GET('/api/account/totp')),
})

/** The authenticator app that a sign-in with the password asks for, and the codes for when it is lost. */
export function SecondStepSection() {
  const texts = useTexts('account').secondStep
  const query = useQuery(totpQuery)
  const client = useQueryClient()
  const [begun, setBegun] = useState<BegunTotp>()
  const [codes, setCodes] = useState<string[]>()
  const [asking, setAsking] = useState<'remove' | 'renew'>()
  const reload = () => client.invalidateQueries({ queryKey: totpQuery.queryKey })
  const begin = useSubmit(async () => setBegun(await answer(api.POST('/api/account/totp'))))

  return (
    <Section title={texts.title} description={texts.description}>
      <QueryView query={query}>
        {({ enabled, recoveryCodesLeft }) => (
          <Stack align="flex-start">
            <Text size="sm">{enabled ? texts.on(recoveryCodesLeft) : texts.off}</Text>
            <FailureAlert failure={begin.failure} />
            <Group gap="sm">
              {enabled ? (
                <>
                  <Button variant="default" onClick={() => setAsking('renew')}>
                    {texts.renew}
                  </Button>
                  <Button variant="subtle" color="red" onClick={() => setAsking('remove')}>
                    {texts.remove}
                  </Button>
                </>
              ) : (
                <Button loading={begin.busy} onClick={() => begin.run()}>
                  {texts.add}
                </Button>
              )}
            </Group>
          </Stack>
        )}
      </QueryView>
      {begun && (
        <ConfirmTotpDialog
          begun={begun}
          onClose={() => setBegun(undefined)}
          onDone={async (recoveryCodes) => {
            await reload()
            setBegun(undefined)
            setCodes(recoveryCodes)
          }}
        />
      )}
      {asking === 'remove' && (
        <ConfirmDialog
          title={texts.removeTitle}
          confirm={texts.remove}
          onClose={() => setAsking(undefined)}
          action={async () => {
            await answer(api.DELETE('/api/account/totp'))
            await reload()
          }}
        >
          {texts.removeText}
        </ConfirmDialog>
      )}
      {asking === 'renew' && (
        <ConfirmDialog
          title={texts.renewTitle}
          confirm={texts.renew}
          safe
          onClose={() => setAsking(undefined)}
          action={async () => {
            const { recoveryCodes } = await answer(api.POST('/api/account/recovery-codes'))
            await reload()
            setCodes(recoveryCodes)
          }}
        >
          {texts.renewText}
        </ConfirmDialog>
      )}
      {codes && (
        <ShownOnceDialog
          title={texts.codesTitle}
          warning={{ icon: 'key', title: texts.codesWarning, text: texts.codesText }}
          done={texts.done}
          onClose={() => setCodes(undefined)}
        >
          <CodeBlock label={texts.codes} value={codes.join('\n')} />
        </ShownOnceDialog>
      )}
    </Section>
  )
}

type ConfirmTotpDialogProps = {
  begun: BegunTotp
  onClose: () => void
  onDone: (recoveryCodes: string[]) => Promise<void>
}

/** Shows the secret to an app, and asks for its first code. */
function ConfirmTotpDialog({ begun, onClose, onDone }: ConfirmTotpDialogProps) {
  const texts = useTexts('account').secondStep
  const form = useSubmitForm({
    initialValues: { code: '' },
    async submit({ code }) {
      const body = { code: code.replaceAll(/\s/g, '') }
      const { recoveryCodes } = await answer(api.POST('/api/account/totp/confirm', { body }))
      await onDone(recoveryCodes)
    },
    isDisposable: true,
  })
  return (
    <FormDialog title={texts.add} form={form} submit={texts.turnOn} onClose={onClose}>
      <Text size="sm">{texts.scan}</Text>
      <img
        src={`data:image/svg+xml,${encodeURIComponent(begun.qr)}`}
        alt={texts.qr}
        width={200}
        height={200}
        style={{ background: '#ffffff', padding: 8, alignSelf: 'center' }}
      />
      <CodeBlock label={texts.secret} value={begun.secret.replaceAll(/.{4}(?=.)/g, '$& ')} wrap />
      <TextInput
        label={texts.firstCode}
        data-autofocus
        autoComplete="one-time-code"
        inputMode="numeric"
        maxLength={12}
        required
        withAsterisk={false}
        {...form.getInputProps('code')}
      />
    </FormDialog>
  )
}
