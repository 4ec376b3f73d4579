import { SimpleGrid, Textarea, TextInput } from '@mantine/core'
import { useTexts } from '../../texts/TextsProvider.tsx'

export type ClientFieldValues = {
  name: string
  operator: string
  redirectUris: string
  postLogoutRedirectUris: string
  scopes: string
}
type Props = {
  value: ClientFieldValues
  readOnly?: boolean
  onChange: (value: ClientFieldValues) => void
}

const words = (text: string) => text.split(/\s+/).filter(Boolean)

export const clientBody = (value: ClientFieldValues) => ({
  name: value.name.trim(),
  operator: value.operator.trim() || null,
  redirectUris: words(value.redirectUris),
  postLogoutRedirectUris: words(value.postLogoutRedirectUris),
  scopes: words(value.scopes),
})

export function ClientFields({ value, readOnly = false, onChange }: Props) {
  const texts = useTexts('admin').clients
  const field = (name: keyof ClientFieldValues) => ({
    value: value[name],
    readOnly,
    onChange: (event: { currentTarget: { value: string } }) =>
      onChange({ ...value, [name]: event.currentTarget.value }),
  })
  return (
    <>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="md">
        <TextInput
          label={texts.name}
          description={texts.nameHint}
          data-autofocus
          required
          maxLength={100}
          {...field('name')}
        />
        <TextInput label={texts.operator} description={texts.operatorHint} maxLength={100} {...field('operator')} />
      </SimpleGrid>
      <Textarea
        label={texts.redirectUris}
        description={texts.redirectUrisHint}
        size="md"
        autosize
        minRows={1}
        placeholder="https://app.example.com/callback"
        {...field('redirectUris')}
      />
      <Textarea
        label={texts.postLogoutRedirectUris}
        description={texts.postLogoutRedirectUrisHint}
        size="md"
        autosize
        minRows={1}
        {...field('postLogoutRedirectUris')}
      />
      <TextInput label={texts.scopes} description={texts.scopesHint} {...field('scopes')} />
    </>
  )
}
