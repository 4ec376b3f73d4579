import { Input, useMantineColorScheme } from '@mantine/core'
import { languageNames } from '../texts/language.ts'
import { useLanguage, useTexts } from '../texts/TextsProvider.tsx'
import { Icon } from './Icon.tsx'

export function LanguageMenu() {
  const { language, setLanguage } = useLanguage()
  return (
    <SmallSelect
      label={useTexts('shared').language}
      value={language}
      choices={languageNames}
      onChange={(chosen) => void setLanguage(chosen)}
    />
  )
}

export function ColorSchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { label, auto, light, dark } = useTexts('shared').colorScheme
  return <SmallSelect label={label} value={colorScheme} choices={{ auto, light, dark }} onChange={setColorScheme} />
}

type SmallSelectProps<Value extends string> = {
  label: string
  value: Value
  choices: Record<Value, string>
  onChange: (value: Value) => void
}

/** A choice at the edge of a page. Mantine's own select would make the public pages larger than its budget. */
function SmallSelect<Value extends string>({ label, value, choices, onChange }: SmallSelectProps<Value>) {
  return (
    <Input
      component="select"
      aria-label={label}
      size="xs"
      variant="unstyled"
      pointer
      rightSection={<Icon name="select" size={14} />}
      rightSectionPointerEvents="none"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value as Value)}
    >
      {Object.entries<string>(choices).map(([choice, name]) => (
        <option key={choice} value={choice}>
          {name}
        </option>
      ))}
    </Input>
  )
}
