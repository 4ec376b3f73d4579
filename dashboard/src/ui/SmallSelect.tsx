import { Input } from '@mantine/core'
import { Icon } from './Icon.tsx'

type Props<Value extends string> = {
  label: string
  value: Value
  choices: Record<Value, string>
  onChange: (value: Value) => void
}

/** A choice at the edge of a page. Mantine's own select would make the public pages larger than its budget. */
export function SmallSelect<Value extends string>({ label, value, choices, onChange }: Props<Value>) {
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
