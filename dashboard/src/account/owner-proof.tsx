import { type PasswordInputProps, Text } from '@mantine/core'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { answer, api } from '../api/client.ts'
import { useTexts } from '../texts/TextsProvider.tsx'
import { CurrentPasswordInput } from '../ui/CurrentPasswordInput.tsx'

export const methodsQuery = queryOptions({
  queryKey: ['sign-in-methods'],
  queryFn: () => answer(api.GET('/api/account/sign-in-methods')),
})

/** What proves that the owner of the account asks: the password, or the passkey of somebody who has none. */
export function OwnerProofField(input: PasswordInputProps) {
  const methods = useQuery(methodsQuery).data
  const texts = useTexts('account').profile
  if (methods?.hasPassword === false) return <Text size="sm">{texts.passkeyProof}</Text>
  return <CurrentPasswordInput label={texts.currentPassword} {...input} />
}
