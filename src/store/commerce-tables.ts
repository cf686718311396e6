// Types of the tables of commerce after all migrations. Rows outlive their account, without a reference to it: the books need them.

import type { CheckoutStatus, checkoutEvents, PaymentStatus } from '../contract/checkout.ts'
import type { CreditReason } from '../contract/credits.ts'

/** The kinds of events that are stored. */
export type PaymentEventKind = Exclude<
  (typeof checkoutEvents)[number],
  'created' | 'page_opened' | 'cancelled' | 'expired' | 'account_deleted'
>

export interface CheckoutTable {
  id: string
  /** Null once the account was deleted. */
  account_id: string | null
  account_deleted_at: string | null
  /** The payment provider that it was created for, and whether that takes real money: 1 or 0. */
  provider: string
  live: number
  offer_kind: 'plan' | 'pack'
  offer_id: string
  /** Name, price and credits are those of the offer at the time of creation. */
  name: string
  amount: number
  currency: string
  interval: 'month' | 'once'
  /** 0 for a plan. */
  credits: number
  /** Its part of an offer that is limited in number. `lost`: paid when all others were held, so the payment is to be refunded. */
  hold: 'none' | 'held' | 'released' | 'lost'
  status: CheckoutStatus
  payment_status: PaymentStatus
  success_url: string | null
  cancel_url: string | null
  /** What the provider is asked to open, as JSON; written before it is asked, so that it is asked the same again after a crash. */
  page_order: string | null
  page_reference: string | null
  page_url: string | null
  page_closed_at: string | null
  /** What the provider calls the customer and the subscription. */
  customer: string | null
  subscription: string | null
  /** When the provider was asked to end the subscription, because nobody has it any more. */
  subscription_stopped_at: string | null
  /** The request with an idempotency key that created it. */
  request_id: string | null
  created_at: string
  expires_at: string
}

/** One row for each thing that happened to a checkout, with its state afterwards. Rows are only added. */
export interface CheckoutHistoryTable {
  checkout_id: string
  /** 1, 2, 3, … */
  position: number
  event: (typeof checkoutEvents)[number]
  /** The event of the provider. */
  event_id: string | null
  status: CheckoutStatus
  payment_status: PaymentStatus
  at: string
}

/** A verified event. Rows are only added; `checkout_id` is set once it is known, which may be later. */
export interface PaymentEventTable {
  provider: string
  id: string
  kind: PaymentEventKind
  checkout_id: string | null
  payment: string | null
  subscription: string | null
  /** Null once the account was deleted. */
  customer: string | null
  /** The event as JSON, without the customer. */
  data: string
  received_at: string
}

/** What a paid plan gives: one row for each checkout, replaced by what its events say. */
export interface EntitlementTable {
  checkout_id: string
  account_id: string | null
  plan_id: string
  /** The payment provider. */
  source: string
  starts_at: string
  /** Null when it does not end. */
  ends_at: string | null
  updated_at: string
}

/** The ledger. Rows are only added; the balance of an account is the sum of its rows. */
export interface CreditEntryTable {
  id: string
  account_id: string | null
  amount: number
  reason: CreditReason
  /** What it was added for. Unique: nothing is counted twice. */
  cause: string
  checkout_id: string | null
  created_at: string
}

/** What a payment provider calls an account. Deleted with the account. */
export interface CustomerTable {
  account_id: string
  provider: string
  /** 1 for real money, 0 for tests. */
  live: number
  customer: string
  created_at: string
}

export interface CommerceTables {
  customer: CustomerTable
  checkout: CheckoutTable
  checkout_history: CheckoutHistoryTable
  payment_event: PaymentEventTable
  entitlement: EntitlementTable
  credit_entry: CreditEntryTable
}
