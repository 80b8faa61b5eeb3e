/**
 * Tables of twenty businesses, a line for each: the name and the columns beside id and created_at.
 * Names and columns are what public sample schemas of such businesses have.
 */
const CORE = `
customers: first_name last_name email phone city segment
customer_addresses: customer_id street zip city country
sales_orders: customer_id order_date status total currency
sales_order_lines: order_id product_id quantity unit_price
products: sku name category_id price weight
product_categories: name parent_id
stock_levels: product_id warehouse_id quantity reorder_point
warehouses: name city capacity
refunds: order_id amount reason refunded_at
coupons: code discount_percent valid_until times_used
employees: first_name last_name hire_date department_id manager_id job_title
departments: name cost_center head_id
salaries: employee_id amount currency valid_from
leave_requests: employee_id starts_on ends_on kind approved_by
job_postings: title department_id published_on closes_on
job_applications: posting_id applicant_name cv_url stage
training_records: employee_id training_id completed_on score
performance_reviews: employee_id reviewer_id period rating
time_sheets: employee_id work_date hours project_id
payroll_runs: period gross net executed_at
patients: first_name last_name birth_date blood_type gender
admissions: patient_id ward department admitted_at discharged_at
prescriptions: patient_id doctor_id drug_name dosage diagnosis_code
lab_results: patient_id test_name value unit measured_at
appointments: patient_id doctor_id starts_at room status
doctors: first_name last_name specialty license_number
allergies: patient_id substance severity reaction
diagnoses: patient_id icd_code description diagnosed_on
wards: name floor bed_count
surgeries: patient_id surgeon_id procedure_code operated_at
students: first_name last_name birth_date grade_level guardian_phone
exam_results: student_id exam_id score passed
exams: course_id exam_date kind max_score
enrollments: student_id course_id term status
courses: title credits department description
class_sections: course_id teacher_id subject room schedule
teachers: first_name last_name subject hired_on
attendance: student_id lesson_date present excuse
scholarships: name amount deadline remaining_places
school_buses: plate driver_name route_name seats
bank_accounts: holder_id iban balance currency opened_on
loans: borrower_id principal interest_rate due_date status
card_transactions: card_id merchant amount currency booked_at
cards: account_id card_number expires_on blocked
mortgages: customer_id property_value principal rate term_years
fraud_alerts: transaction_id transfer_id rule risk_score flagged_at
bank_transfers: from_account_id to_account_id amount purpose
bank_branches: name city manager_name
standing_orders: account_id payee amount interval_days
exchange_rates: base_currency quote_currency rate quoted_on
insurance_claims: policy_id cause damage_amount paid_amount reported_on
insurance_policies: holder_id product starts_on expires_on sum_insured
premium_payments: policy_id policyholder_id premium amount paid_on
policyholders: first_name last_name birth_date email
insurance_agents: first_name last_name region contracts_sold
insured_vehicles: policy_id plate make model year
claim_adjusters: name phone region
claim_documents: claim_id file_name uploaded_at
reinsurance_treaties: partner share_percent valid_from
risk_assessments: policy_id score assessed_on
flights: flight_number origin destination scheduled_departure delay_minutes
boarding_passes: passenger_id flight_id gate seat boarded_at
flight_passengers: first_name last_name passport_number nationality
aircraft: tail_number model next_maintenance_on flight_hours
baggage: passenger_id tag_number status last_seen_airport
flight_crew: first_name last_name role pilot_license hours_flown
airports: iata_code name city country
airlines: name iata_code alliance
frequent_flyers: passenger_id miles tier
runways: airport_id length_m surface
hotels: name city stars
hotel_rooms: hotel_id room_number beds occupied
reservations: guest_id room_id arrives_on departs_on cancelled_at
guests: first_name last_name email nationality
guest_reviews: reservation_id stars comment written_at
housekeeping_tasks: room_id assigned_to clean_at done
room_rates: room_type season nightly_price
minibar_charges: reservation_id item price
spa_treatments: name duration_minutes price
hotel_events: hotel_id title starts_at attendees
shipments: order_id carrier_id shipped_at delivered_at promised_at
delivery_routes: driver_id distance_km stops started_at
truck_drivers: first_name last_name license_class
shipping_rates: destination_country weight_class price
fuel_purchases: truck_id liters price station
trucks: plate model payload_kg
tracking_events: container_number location status occurred_at
containers: container_number size owner
customs_declarations: shipment_id tariff_code value
carriers: name contact_email
machines: name line_id manufacturer installed_on
machine_downtimes: machine_id started_at ended_at cause
assembly_lines: name plant_id
quality_inspections: batch_id inspector defects scrapped_parts
suppliers: name country material rating
purchase_orders: supplier_id ordered_on total
bill_of_materials: parent_part_id component_part_id quantity
parts: part_number name material
work_orders: part_id planned_for quantity status
plants: name city
book_loans: book_id member_id checked_out_on due_on returned_on
books: isbn title genre published_year
authors: name birth_year nationality
book_authors: book_id author_id
library_members: first_name last_name card_number
library_fines: member_id amount reason paid
book_reservations: book_id member_id reserved_on
library_branches: name city opening_hours collection_size
publishers: name city
reading_rooms: branch_id seats
songs: title album_id duration_seconds isrc
playlist_tracks: playlist_id song_id position
playlists: owner_id name is_public
albums: artist_id title released_on
artists: name country formed_year
streams: song_id listener_id country streamed_at
concert_tickets: concert_id seat price sold_at
concerts: artist_id venue starts_at
royalties: artist_id period amount
record_labels: name country
movies: title genre release_year runtime
movie_ratings: movie_id user_id stars
movie_cast: movie_id actor_id character_name
actors: name birth_date
screenings: movie_id cinema_id starts_at hall
cinemas: name city screens
streaming_subscriptions: subscriber_id plan resolution started_on
episodes: series_id season number title watched_percent
tv_series: title genre seasons
movie_awards: movie_id award year
rental_listings: property_id rent available_from bedrooms
tenants: first_name last_name email phone
rent_payments: lease_id due_on amount paid_on
leases: property_id tenant_id starts_on ends_on deposit
property_sales: property_id buyer_id price sold_on
properties: street city kind area_sqm
maintenance_requests: tenant_id property_id description resolved_on
landlords: name bank_iban
property_viewings: listing_id visitor_name viewed_at
real_estate_agents: first_name last_name commission_rate
meter_readings: meter_id household_id kwh read_at
meters: serial_number kind installed_on
outages: region started_at restored_at customers_affected
solar_production: plant_id kwh fed_in_at
tariffs: name customer_group price_per_kwh
turbines: wind_farm_id model rated_kw running
wind_farms: name region
grid_substations: name voltage
energy_contracts: household_id tariff_id starts_on
energy_prices: market price quoted_at
call_records: caller_number callee_number duration_seconds started_at
data_usage: subscriber_id megabytes used_on
cell_towers: location technology load_percent
sim_cards: iccid subscriber_id status reported_lost_on
phone_contracts: subscriber_id plan_id ends_on
phone_plans: name monthly_fee included_minutes
roaming_charges: subscriber_id country amount
handsets: imei model
number_portings: phone_number from_operator ported_on
network_incidents: tower_id severity opened_at
support_tickets: requester_id subject status priority
support_agents: first_name last_name team
chat_sessions: agent_id customer_id first_response_seconds
help_articles: title body view_count
satisfaction_surveys: ticket_id score comment
sla_breaches: ticket_id agreement breached_at
escalations: ticket_id level escalated_at
canned_responses: title body
call_center_shifts: agent_id starts_at ends_at
knowledge_categories: name
email_campaigns: subject sent_at open_rate click_rate
leads: name email source score
ad_clicks: banner_id visitor_id clicked_at
banners: name landing_url
newsletter_subscribers: email subscribed_at unsubscribed_at
marketing_budgets: channel period amount spent
web_sessions: visitor_id started_at referrer
landing_pages: url title conversion_rate
social_posts: network body likes
market_segments: name criteria
invoices: customer_id number issued_on due_on paid_on total
invoice_lines: invoice_id description amount
ledger_entries: account cost_center debit credit booked_on
expense_reports: employee_id purpose amount approved
tax_returns: period vat_due filed_on
fixed_assets: name acquired_on book_value depreciation
budgets: cost_center year amount
bank_statements: account balance stated_on
dunning_letters: invoice_id level sent_on
chart_of_accounts: number name kind
farm_fields: name hectares soil
crop_plantings: field_id crop planted_on
harvests: field_id crop tons harvested_on
farm_animals: tag species breed born_on
animal_vaccinations: animal_id vaccine given_on
milk_yields: animal_id liters milked_on
fertilizer_applications: field_id fertilizer kilograms
irrigation_logs: field_id cubic_meters
tractors: model hours
weather_stations: name rainfall_mm
`;

/** Tables that most systems have beside a table, and that resemble it. */
const BESIDE: readonly (readonly [suffix: string, columns: string])[] = [
  ["history", "changed_by changed_at old_value new_value"],
  ["notes", "author body"],
  ["attachments", "file_name mime_type size_bytes"],
  ["import", "batch_id raw_line error"],
];

/** DDL of a thousand tables for SQLite. */
export function thousandTables(): readonly string[] {
  return CORE.trim()
    .split("\n")
    .flatMap((line) => {
      const [name = "", columns = ""] = line.split(": ");
      const beside = BESIDE.map(([suffix, own]) =>
        createTable(`${name}_${suffix}`, [`${name}_id`, ...own.split(" ")]),
      );
      return [createTable(name, columns.split(" ")), ...beside];
    });
}

function createTable(name: string, columns: readonly string[]): string {
  const own = columns.map((column) => `${column} TEXT`);
  return `CREATE TABLE ${name} (id INTEGER PRIMARY KEY, ${own.join(", ")}, created_at TEXT)`;
}
