import { Button, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { PublicHeading } from '../public-pages/PublicHeading.tsx'
import { useTexts } from '../texts/TextsProvider.tsx'
import { FailureAlert } from '../ui/FailureAlert.tsx'

type Props = { busy: boolean; failure: unknown; initial: string; onSubmit: (code: string) => void }

/** Asks for the code that the device shows. */
export function CodeForm({ busy, failure, initial, onSubmit }: Props) {
  const texts = useTexts('publicPages').device
  const [code, setCode] = useState(initial)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) onSubmit(code.trim())
      }}
    >
      <Stack gap="lg">
        <PublicHeading title={texts.enterTitle}>{texts.enterText}</PublicHeading>
        <FailureAlert failure={failure} />
        <TextInput
          label={texts.code}
          placeholder="XXXX-XXXX"
          autoComplete="one-time-code"
          autoCapitalize="characters"
          spellCheck={false}
          autoFocus
          required
          withAsterisk={false}
          maxLength={64}
          value={code}
          onChange={(event) => setCode(event.currentTarget.value)}
        />
        <Button type="submit" size="md" fullWidth loading={busy}>
          {texts.next}
        </Button>
      </Stack>
    </form>
  )
}
