import { PasswordInput, Text } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Field } from '../ui/Form.tsx'

type Props = { hasPassword: boolean; value: string; onChange: (password: string) => void }

/** What proves that the owner of the account asks: the password, or the passkey of somebody who has none. */
export function OwnerProofField({ hasPassword, value, onChange }: Props) {
  const texts = useTexts('account').profile
  const { showPassword } = useTexts('shared')
  if (!hasPassword) return <Text size="sm">{texts.passkeyProof}</Text>
  return (
    <Field name="currentPassword">
      <PasswordInput
        label={texts.currentPassword}
        autoComplete="current-password"
        required
        withAsterisk={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': showPassword }}
      />
    </Field>
  )
}
