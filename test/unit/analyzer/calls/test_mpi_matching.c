/* SPDX-License-Identifier: GPL-3.0-or-later */
/* analyzer/calls/mpi_matching: which rank's receive got which rank's send, and which calls are one
 * collective. */
#include "analyzer/calls/mpi_matching.h"
#include "test/unit/build_marks.h"
#include "test/unit/build_model.h"
#include "test/unit/unit.h"

#define TAG(tag)	((tag) * 2) /* as the log has it */
#define MOST		8

/* Rank 0 sends, and rank 1 receives. A receive is posted when it begins, or was started before. */
struct exchange {
	struct sent {
		double at_ms;
		uint32_t tag, is_cancelled;
	} sent[MOST];
	struct received {
		double posted_ms, end_ms; /* posted_ms 0: by the call itself, which took 1 ms */
		uint32_t tag, is_from_anywhere;
	} received[MOST];
	uint64_t nr_lost; /* records of rank 0 */
};

static struct log_thread *begin_rank(struct build *build, int rank, struct log_node **node)
{
	struct log_thread *thread = build_begin(build);

	build->header->pid = 100 + (uint32_t)rank;
	build->header->rank = rank;
	build->header->nr_ranks = 2;
	*node = build_node(build, thread, &thread->root, F);
	return thread;
}

static void add_sends(struct build_run *run, const struct exchange *exchange)
{
	const struct sent *sent = exchange->sent;
	struct build_transfer transfers[2 * MOST];
	struct log_messages *route;
	struct log_thread *thread;
	struct log_node *node;
	struct build build;
	int nr = 0;

	thread = begin_rank(&build, 0, &node);
	route = build_messages(&build, thread, node, 1);
	for (; sent->tag; sent++) {
		transfers[nr++] = (struct build_transfer){ .route = route, .begin_ms = sent->at_ms, .ms = 1,
							   .detail = TAG(sent->tag) };
		if (sent->is_cancelled)
			transfers[nr++] =
				(struct build_transfer){ .route = route,
							 .begin_ms = sent->at_ms + 1,
							 .ms = 0.1,
							 .started_ms = sent->at_ms,
							 .flags = LOG_TRANSFER_REQUEST | LOG_TRANSFER_GONE,
							 .detail = TAG(sent->tag) };
	}
	build_transfers(&build, thread, transfers, nr);
	build.header->losses[LOG_LOST_TRANSFERS] = exchange->nr_lost;
	build_finish(&build, NS_START + 200 * MS, 0);
	build_run_add(run, &build);
}

/* @lost_ms: from then on rank 1 has no records; 0: it has all */
static void add_receives(struct build_run *run, const struct received *received, double lost_ms)
{
	struct build_transfer transfers[2 * MOST];
	struct log_messages *route, *anywhere;
	struct log_thread *thread;
	struct log_node *node;
	struct build build;
	int nr = 0;

	thread = begin_rank(&build, 1, &node);
	route = build_messages(&build, thread, node, 0);
	anywhere = build_messages(&build, thread, node, LOG_PEER_ANY);
	route->direction = anywhere->direction = LOG_MESSAGE_RECEIVED;
	for (const struct received *each = received; each->tag; each++)
		if (each->posted_ms > 0)
			transfers[nr++] = (struct build_transfer){ .route = route,
								   .begin_ms = each->posted_ms,
								   .ms = 0.1,
								   .flags = LOG_TRANSFER_STARTS,
								   .detail = TAG(each->tag) };
	for (; received->tag; received++)
		transfers[nr++] = (struct build_transfer){
			.route = received->is_from_anywhere ? anywhere : route,
			.begin_ms = received->end_ms - 1, .ms = 1, .started_ms = received->posted_ms,
			.flags = received->posted_ms > 0 ? LOG_TRANSFER_REQUEST : 0,
			.node = node, .detail = TAG(received->tag) };
	build_transfers(&build, thread, transfers, nr);
	build.header->transfers_end_ticks = lost_ms > 0 ? NS_START + (uint64_t)(lost_ms * (double)MS) : 0;
	build_finish(&build, NS_START + 200 * MS, 0);
	build_run_add(run, &build);
}

static double ms_of(int64_t time)
{
	return (double)time / (double)MS;
}

static void assert_ms(double found, double expected)
{
	assert_true(found > expected - 0.2 && found < expected + 0.2);
}

/* Of the receive that ended at @end_ms: when its message was sent; 0: that is not known. */
static double sent_ms(const struct mpi_matching *matching, double end_ms)
{
	for (size_t i = 0; i < matching->nr_receives; i++) {
		const struct transfer *receive = matching->receives[i].transfer;

		if (ms_of(receive->end) > end_ms - 0.2 && ms_of(receive->end) < end_ms + 0.2)
			return receive->partner ? ms_of(receive->partner->begin) : 0;
	}
	return 0;
}

static struct model *match(const struct exchange *exchange, double lost_ms, struct mpi_matching *matching)
{
	struct build_run run = { .nr = 0 };
	struct model *model;

	add_sends(&run, exchange);
	add_receives(&run, exchange->received, lost_ms);
	model = build_run_load(&run);
	mpi_match(model, matching);
	return model;
}

static void assert_matches(const struct exchange *exchange, double lost_ms, const double pairs[][2],
			   uint64_t nr_matched, uint64_t nr_unmatched)
{
	struct mpi_matching matching;
	struct model *model = match(exchange, lost_ms, &matching);

	for (; pairs[0][0] > 0; pairs++)
		assert_ms(sent_ms(&matching, pairs[0][0]), pairs[0][1]);
	assert_int_equal(matching.nr_matched, nr_matched);
	assert_int_equal(matching.nr_unmatched, nr_unmatched);
	mpi_matching_release(&matching);
	model_free(model);
}

TEST(receives_get_messages_in_the_order_in_which_they_were_posted)
{
	const struct exchange exchange = {
		.sent = { { 10, 1, 0 }, { 20, 1, 0 } },
		.received = { { 2, 40, 1, 0 }, { 1, 60, 1, 0 } },
	};

	assert_matches(&exchange, 0, (const double[][2]){ { 40, 20 }, { 60, 10 }, { 0, 0 } }, 2, 0);
}

TEST(each_tag_has_an_order_of_its_own)
{
	const struct exchange exchange = {
		.sent = { { 10, 1, 0 }, { 20, 2, 0 } },
		.received = { { 0, 40, 2, 0 }, { 0, 60, 1, 0 } },
	};

	assert_matches(&exchange, 0, (const double[][2]){ { 40, 20 }, { 60, 10 }, { 0, 0 } }, 2, 0);
}

TEST(a_cancelled_send_is_no_message)
{
	const struct exchange exchange = {
		.sent = { { 10, 1, 1 }, { 20, 1, 0 } },
		.received = { { 0, 40, 1, 0 } },
	};

	assert_matches(&exchange, 0, (const double[][2]){ { 40, 20 }, { 0, 0 } }, 1, 0);
}

TEST(after_a_receive_from_an_unknown_rank_its_tag_is_not_matched)
{
	const struct exchange exchange = {
		.sent = { { 10, 1, 0 }, { 20, 1, 0 }, { 30, 1, 0 }, { 35, 2, 0 } },
		.received = { { 0, 40, 1, 0 }, { 0, 50, 1, 1 }, { 0, 60, 1, 0 }, { 0, 70, 2, 0 } },
	};

	assert_matches(&exchange, 0, (const double[][2]){ { 40, 10 }, { 70, 35 }, { 0, 0 } }, 2, 2);
}

/* Unless records are lost: then there may have been a third message. */
TEST(a_receive_from_an_unknown_rank_took_nothing_where_the_others_took_all)
{
	const struct exchange exchange = {
		.sent = { { 10, 1, 0 }, { 20, 1, 0 } },
		.received = { { 0, 40, 1, 0 }, { 0, 50, 1, 1 }, { 0, 60, 1, 0 } },
	};
	struct exchange losing = exchange;

	losing.nr_lost = 1;
	assert_matches(&exchange, 0, (const double[][2]){ { 40, 10 }, { 60, 20 }, { 0, 0 } }, 2, 1);
	assert_matches(&losing, 0, (const double[][2]){ { 40, 10 }, { 0, 0 } }, 1, 2);
}

TEST(a_message_that_came_before_it_was_sent_shows_another_order)
{
	const struct exchange exchange = {
		.sent = { { 10, 1, 0 }, { 80, 1, 0 }, { 15, 2, 0 } },
		.received = { { 0, 40, 1, 0 }, { 0, 60, 1, 0 }, { 0, 50, 2, 0 } },
	};

	assert_matches(&exchange, 0, (const double[][2]){ { 50, 15 }, { 0, 0 } }, 1, 2);
}

TEST(what_began_after_a_record_was_lost_is_left_out)
{
	const struct exchange exchange = {
		.sent = { { 10, 1, 0 }, { 20, 1, 0 } },
		.received = { { 0, 40, 1, 0 }, { 0, 60, 1, 0 } },
	};

	assert_matches(&exchange, 50, (const double[][2]){ { 40, 10 }, { 0, 0 } }, 1, 0);
}

TEST(two_processes_with_one_rank_are_not_matched)
{
	const struct exchange exchange = { .sent = { { 10, 1, 0 } }, .received = { { 0, 40, 1, 0 } } };
	struct build_run run = { .nr = 0 };
	struct mpi_matching matching;
	struct model *model;

	add_sends(&run, &exchange);
	add_sends(&run, &exchange);
	add_receives(&run, exchange.received, 0);
	model = build_run_load(&run);
	mpi_match(model, &matching);
	assert_int_equal(matching.nr_matched, 0);
	assert_int_equal(matching.nr_unmatched, 3);
	mpi_matching_release(&matching);
	model_free(model);
}

/* The first logs of version 2 do not say the fastest call and the size. */
TEST(shorter_messages_of_older_logs_are_read)
{
	struct log_messages *messages;
	struct log_thread *thread;
	struct log_node *node;
	struct build build;
	struct model *model;

	thread = begin_rank(&build, 0, &node);
	messages = build_messages(&build, thread, node, 1);
	messages->record.bytes = offsetof(struct log_messages, least_ticks);
	*(struct log_record *)&messages->least_ticks =
		(struct log_record){ sizeof(*messages) - offsetof(struct log_messages, least_ticks),
				     UINT32_MAX, messages->record.ticks };
	build_finish(&build, build.header->start.ticks + 1000000, 0);
	model = build_load(&build);
	assert_int_equal(model->nr_damaged, 0);
	assert_int_equal(model->processes[0]->nr_messages, 1);
	assert_int_equal(model->processes[0]->messages[0].bytes, 100 * 4096);
	assert_int_equal(model->processes[0]->messages[0].size_bytes, 0);
	assert_true(model->processes[0]->messages[0].least_ticks == UINT64_MAX);
	build_free(&build, model);
}

static void add_barriers(struct build_run *run, int rank, const double *begins_ms)
{
	struct build_transfer transfers[MOST];
	struct log_messages *route;
	struct log_thread *thread;
	struct log_node *node;
	struct build build;
	int nr = 0;

	thread = begin_rank(&build, rank, &node);
	route = build_messages(&build, thread, node, LOG_PEER_NONE);
	route->direction = LOG_MESSAGE_COLLECTIVE;
	for (; *begins_ms > 0; begins_ms++)
		transfers[nr++] = (struct build_transfer){ .route = route, .begin_ms = *begins_ms, .ms = 10,
							   .detail = LOG_ALL_WAIT_FOR_ALL };
	build_transfers(&build, thread, transfers, nr);
	build_finish(&build, NS_START + 200 * MS, 0);
	build_run_add(run, &build);
}

TEST(collectives_are_matched_by_their_number_and_have_a_last_rank)
{
	struct build_run run = { .nr = 0 };
	struct mpi_matching matching;
	struct model *model;

	add_barriers(&run, 0, (const double[]){ 10, 35, 60, 0 });
	add_barriers(&run, 1, (const double[]){ 15, 30, 0 });
	model = build_run_load(&run);
	mpi_match(model, &matching);
	collectives_find_last(&matching);
	assert_int_equal(matching.nr_collectives, 2);
	assert_int_equal(matching.nr_matched, 4);
	assert_int_equal(matching.nr_unmatched, 1);
	assert_ms(ms_of(matching.collectives[0].last->begin), 15);
	assert_ms(ms_of(matching.collectives[1].last->begin), 35);
	mpi_matching_release(&matching);
	model_free(model);
}
