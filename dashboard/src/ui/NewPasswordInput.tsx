import { Box, Group, PasswordInput, Text } from '@mantine/core'
import { passwordStrength } from '../lib/password-strength.ts'
import { useTexts } from '../texts/TextsProvider.tsx'

const COLORS = ['gray.5', 'red.6', 'brass.4', 'pine.5', 'pine.6'] as const

type Props = { label: string; value: string; email?: string | undefined; onChange: (value: string) => void }

export function NewPasswordInput({ label, value, email, onChange }: Props) {
  const texts = useTexts('shared')
  const strength = passwordStrength(value, email)
  return (
    <Box>
      <PasswordInput
        label={label}
        description={texts.strength.hint}
        autoComplete="new-password"
        required
        withAsterisk={false}
        minLength={8}
        maxLength={128}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
        visibilityToggleButtonProps={{ 'aria-label': texts.showPassword }}
      />
      <Group
        gap={6}
        mt={8}
        role="meter"
        aria-label={texts.strength.label}
        aria-valuemin={0}
        aria-valuemax={4}
        aria-valuenow={value ? strength : 0}
        aria-valuetext={value ? (texts.strength.levels[strength] ?? '') : texts.strength.label}
      >
        {[1, 2, 3, 4].map((step) => (
          <Box
            key={step}
            h={4}
            flex={1}
            bg={value && strength >= step ? COLORS[strength] : 'var(--latchkey-line)'}
            style={{ borderRadius: 2, transition: 'background 150ms' }}
          />
        ))}
        <Text size="xs" c="dimmed" w={72} ta="right" aria-hidden>
          {value ? texts.strength.levels[strength] : ''}
        </Text>
      </Group>
    </Box>
  )
}
