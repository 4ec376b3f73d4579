import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'

/** A field for the password that somebody has, which password managers fill in. */
export function CurrentPasswordInput(input: PasswordInputProps) {
  const { showPassword } = useTexts('shared')
  return (
    <PasswordInput
      autoComplete="current-password"
      required
      withAsterisk={false}
      visibilityToggleButtonProps={{ 'aria-label': showPassword }}
      {...input}
    />
  )
}
