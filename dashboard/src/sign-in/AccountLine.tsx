import { Text } from '@mantine/core'
import { initials } from '../lib/initials.ts'
import classes from './AccountChooser.module.css'

type Props = { name: string; email: string; avatarUrl: string | null }

/** A person in one line. Made of plain elements, since the avatar component would add to the script of the sign-in. */
export function AccountLine({ name, email, avatarUrl }: Props) {
  return (
    <>
      {avatarUrl === null ? (
        <span aria-hidden className={classes.avatar}>
          {initials(name)}
        </span>
      ) : (
        <img src={avatarUrl} alt="" className={classes.avatar} />
      )}
      <span className={classes.who}>
        <Text component="span" display="block" size="sm" fw={600} lineClamp={2}>
          {name}
        </Text>
        {name !== email && (
          <Text component="span" display="block" size="sm" c="dimmed">
            {email}
          </Text>
        )}
      </span>
    </>
  )
}
