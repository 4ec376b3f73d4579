import { Anchor, type AnchorProps, Button, type ButtonProps } from '@mantine/core'
import { createLink } from '@tanstack/react-router'
import type { ComponentPropsWithRef, ReactNode } from 'react'
import { paths } from '../paths.ts'
import { useMay } from '../session/me.ts'
import classes from './Icon.module.css'

type Native = Omit<ComponentPropsWithRef<'a'>, keyof ButtonProps | keyof AnchorProps>

const AnchorButton = (props: Native & ButtonProps) => <Button component="a" {...props} />
const PlainAnchor = (props: Native & AnchorProps) => <Anchor {...props} />

/** Links within the signed-in part: typed by the router, preloaded, without a page load. */
export const LinkButton = createLink(AnchorButton)
export const TextLink = createLink(PlainAnchor)

/** It points to the right in a language from right to left, as no letter does by itself. */
export const BackArrow = () => (
  <span aria-hidden className={classes.mirrored}>
    ←
  </span>
)

/** The name of an application, as a link to its page for those who may see it. */
export function ApplicationLink({ id, children }: { id: string; children: ReactNode }) {
  if (!useMay()('oauth_clients:read')) return children
  return (
    <TextLink to={paths.adminClient} params={{ clientId: id }} inherit c="inherit">
      {children}
    </TextLink>
  )
}

type PersonLinkProps = { id: string | null | undefined; prefix?: string; children: ReactNode }

/** The name of a person, as a link to their page for those who may see it. */
export function PersonLink({ id, prefix = '', children }: PersonLinkProps) {
  const maySee = useMay()('users:read')
  return (
    <>
      {prefix}
      {id && maySee ? (
        <TextLink to={paths.adminUser} params={{ userId: id }} inherit underline="always" c="inherit">
          {children}
        </TextLink>
      ) : (
        children
      )}
    </>
  )
}

/** The name of a host, as a link to its page for those who may see it. */
export function HostLink({ id, children }: { id: string; children: ReactNode }) {
  if (!useMay()('ssh:hosts:manage')) return children
  return (
    <TextLink to={paths.adminHost} params={{ hostId: id }} inherit c="inherit">
      {children}
    </TextLink>
  )
}
