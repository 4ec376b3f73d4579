import { NativeSelect, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'

export function ColorSchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const texts = useTexts('shared').colorScheme
  return (
    <NativeSelect
      aria-label={texts.label}
      size="xs"
      variant="unstyled"
      value={colorScheme}
      onChange={(event) => setColorScheme(event.currentTarget.value as MantineColorScheme)}
      data={[
        { value: 'auto', label: texts.auto },
        { value: 'light', label: texts.light },
        { value: 'dark', label: texts.dark },
      ]}
    />
  )
}
