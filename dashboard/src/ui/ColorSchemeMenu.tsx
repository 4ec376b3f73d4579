import { useMantineColorScheme } from '@mantine/core'
import { useTexts } from '../texts/TextsProvider.tsx'
import { SmallSelect } from './SmallSelect.tsx'

export function ColorSchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { label, auto, light, dark } = useTexts('shared').colorScheme
  return <SmallSelect label={label} value={colorScheme} choices={{ auto, light, dark }} onChange={setColorScheme} />
}
