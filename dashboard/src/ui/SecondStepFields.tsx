import { Anchor, Stack, TextInput } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'
import type { FormFields } from './Form.tsx'

export type SecondStepValues = { code: string; usesRecovery: boolean }

export const NO_SECOND_STEP: SecondStepValues = { code: '', usesRecovery: false }

/** What the server is sent. Apps show a code with a gap in the middle, and people type that too. */
export const secondStepOf = ({ code, usesRecovery }: SecondStepValues) =>
  usesRecovery ? { recoveryCode: code.trim() } : { code: code.replaceAll(/\s/g, '') }

type Props = { form: FormFields<SecondStepValues>; hasRecovery?: boolean; autoFocus?: boolean }

/** The code of an authenticator app, or a recovery code in its place. */
export function SecondStepFields({ form, hasRecovery = true, autoFocus = false }: Props) {
  const texts = useTexts('shared').secondStep
  const { usesRecovery } = form.values
  function change() {
    form.setFieldValue('usesRecovery', !usesRecovery)
    form.setFieldValue('code', '')
  }
  return (
    <Stack gap="xs" align="flex-start">
      <TextInput
        key={String(usesRecovery)}
        w="100%"
        label={usesRecovery ? texts.recovery : texts.code}
        description={usesRecovery ? texts.recoveryHint : texts.codeHint}
        autoComplete={usesRecovery ? 'off' : 'one-time-code'}
        inputMode={usesRecovery ? 'text' : 'numeric'}
        autoFocus={autoFocus || usesRecovery}
        autoCapitalize="none"
        spellCheck={false}
        maxLength={32}
        required
        withAsterisk={false}
        {...form.getInputProps('code')}
      />
      {hasRecovery && (
        <Anchor size="sm" component="button" type="button" onClick={change}>
          {usesRecovery ? texts.useCode : texts.useRecovery}
        </Anchor>
      )}
    </Stack>
  )
}
