import { PasswordInput, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { Field } from '../ui/Form.tsx'

const methodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: () => answer(api.GET('/api/account/sign-in-methods')),
})

type Props = { value: string; onChange: (password: string) => void }

/** What proves that the owner of the account asks: the password, or the passkey of somebody who has none. */
export function OwnerProofField({ value, onChange }: Props) {
  const methods = useQuery(methodsQuery).data
  const texts = useTexts('account').profile
  const { showPassword } = useTexts('shared')
  if (methods?.hasPassword === false) return <Text size="sm">{texts.passkeyProof}</Text>
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
